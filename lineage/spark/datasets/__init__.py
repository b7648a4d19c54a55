"""The datasets that relations read."""
