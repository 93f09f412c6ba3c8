"""What is asked about automata side by side: environments, compatibility, products (Definitions 2 and 3), vacuity.

Obligations are values: what is asked of the solver, and of whom it speaks.
"""
