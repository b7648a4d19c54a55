"""The jar of the listener, for all lines of Spark and Scala; built by ``listener/build.py``."""
