"""Graph models read from running platforms: Kafka Connect and the schema registry."""
