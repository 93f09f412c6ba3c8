"""Explicit-state semantics by enumeration: for `simulate`, and for the tests, which compare the engines with it.

Only terms and data are shared with the engines. The game and the interpreter that judge them are in `tests/oracle`.
"""
