"""Outcomes for readers: terminal text, JSON, DOT. Returns strings; only `cli` writes them anywhere."""
