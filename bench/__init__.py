"""Measurements: Table 1 of the paper (`python -m bench.table`) and growth with size (`python -m bench.growth`)."""
