"""Concrete states of closed programs, all of them where they are finite: searches, reductions, and values to try."""
