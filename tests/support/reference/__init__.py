"""Plain implementations that the product is checked against."""
