"""The datasets that commands write."""
