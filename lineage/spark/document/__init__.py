"""Plan documents: their format, and the spools that contain them."""
