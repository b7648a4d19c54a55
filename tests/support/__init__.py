"""Parts that the tests share."""
