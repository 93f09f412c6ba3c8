"""Succinct automata, programs and traces: what every engine works on. No syntax, no solver."""
