"""Transforms of programs with the way back, for runs and for invariants: Lipton's reduction."""
