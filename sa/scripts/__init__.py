"""Proof scripts: each step by a rule of `sa.rules` or decided directly. `prove` runs a script."""
