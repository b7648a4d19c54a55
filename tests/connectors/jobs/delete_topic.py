"""Deletes a topic of a broker: ``delete_topic.py DIRECTORY SERVER TOPIC``."""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession
from support.spark.connector_packages import KAFKA
from support.spark.session import session

home, server, topic = sys.argv[1:]
spark = session(SparkSession.builder.appName("Delete").master("local[1]"), home, KAFKA.settings)
java: Any = spark._jvm.java
properties = java.util.Properties()
properties.setProperty("bootstrap.servers", server)
admin: Any = spark._jvm.org.apache.kafka.clients.admin.AdminClient
client = admin.create(properties)
client.deleteTopics(java.util.List.of(topic)).all().get()
client.close()
spark.stop()
