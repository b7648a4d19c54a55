"""The listener's jars, one for each line of Spark and Scala; built by ``listener/build.py``."""
