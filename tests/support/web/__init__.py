"""What the tests of the web page share."""
