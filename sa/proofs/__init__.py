"""Proof rules (Theorems 1 to 6, with the conditions of THEORY section 6) and scripts that apply them.

One file each rule: its statement, why it holds, and its side conditions as obligations. `prove` runs a script.
"""
