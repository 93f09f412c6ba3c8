"""The judge in the tests: explicit-state semantics by enumeration. Shares only terms and data with the engine."""
