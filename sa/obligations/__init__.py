"""Proof obligations as values: what is asked of the solver, and of whom it speaks."""
