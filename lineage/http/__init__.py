"""Parts that all HTTP surfaces share."""
