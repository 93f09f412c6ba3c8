"""`sacheck`: compositional refinement of concurrent threads over infinite data."""

__version__ = "0.1.0"
