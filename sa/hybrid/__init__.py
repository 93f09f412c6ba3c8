"""Explicit control, symbolic data: control points are enumerated, and Horn clauses say what holds of data there."""
