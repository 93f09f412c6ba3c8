"""The form between a front end and automata: procedures as graphs of elementary steps over registers and memory.

Memory is a set of objects, each a row of scalar cells; an address is an integer that the layout gives to a cell, so
that a pointer is a number and a field or an element is an offset. Everything about concurrency is done here once:
thread instances, inlining, atomic regions, which accesses others can see, and what becomes one step of an automaton.
"""
