"""The weakest environment in which a thread refines another one (decision 013, THEORY section 10).

`region` finds where Duplicator wins while nobody interferes, `steps` the environment steps that lead out of there,
`clauses` says the same in few words, `needed` leaves out what no run needs, `infer` puts the answer together.
"""
