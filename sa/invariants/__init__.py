"""Invariants of whole programs: what is shown of them, and the runs that refute them."""
