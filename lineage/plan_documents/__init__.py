"""Plan documents that a collector keeps, and the events that they give."""
