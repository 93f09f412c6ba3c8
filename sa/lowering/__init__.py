"""Statements to automata, without the syntax they came from: what every front end uses.

`paths` has the ways through the statements of one step, `writes` what assignments, `havoc`, atomic operations and locks
do to a way, `intervals` which range checks are needed. `draft` collects edges between places and makes the automaton.
"""
