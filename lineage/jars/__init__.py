"""The jar of the listener, which serves all lines of Spark and Scala; built by ``listener/build.py``."""
