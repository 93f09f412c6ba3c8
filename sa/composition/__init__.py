"""Automata side by side: environments, products, compatibility (Definitions 2 and 3)."""
