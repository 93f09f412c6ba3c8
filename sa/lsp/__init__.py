"""The editor server."""
