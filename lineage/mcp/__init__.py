"""Queries for MCP clients (https://modelcontextprotocol.io): tools over stdio or HTTP."""
