"""Concrete states.

`system`, `layout`, `search` and `reduction`: closed programs, all states of them where these are finite. `machine`: one
automaton, state by state. `picks`: values to try for what nothing determines. `simulate`: runs by seed or script.
"""
