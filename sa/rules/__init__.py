"""Proof rules (Theorems 1 to 5, with the conditions of THEORY section 6): when they fit, and what they ask for.

One file each rule: its statement, why it holds, and its side conditions as the checker's obligations. The prover finds
what rules are applied to; scripts' certificates are judged by applying the same rules to it again.
"""
