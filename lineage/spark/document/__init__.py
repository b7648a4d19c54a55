"""Plan documents: their format, and the spools that hold them."""
