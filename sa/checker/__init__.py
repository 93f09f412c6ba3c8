"""The independent judge of evidence: rebuilds every obligation from the definitions (THEORY sections 3 and 7).

Shares with the engine only terms, automata, the evidence's format and the solver's session.
"""
