"""Automata from threads (Algorithm 1, THEORY section 5): what locations can see, what environments do.

`generate` is the entry. Read in this order: `visibility` (what threads see of each other), `order` (the worklist's),
`effect` (what steps do to the shared variables), `algorithm_1_reach` (the fixed point over all threads),
`environment` and `closure` (relations), `modular` (relational facts, asked for one by one), `checks` (nothing of all
this is believed).
"""
