"""The datasets read by relations."""
