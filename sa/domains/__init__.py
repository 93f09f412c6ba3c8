"""Abstract domains: no solver, nothing about syntax."""
