"""Runs up to bounds: so many rounds of the threads in an order, each loop so many times (lazy sequentialization)."""
