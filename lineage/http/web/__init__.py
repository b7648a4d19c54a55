"""The web page: its files, and the addresses that show it."""
