"""Hash-consed typed terms: what every room says about states.

`term` holds the data, `build` the constructors that keep terms in normal form,
one further file each operation.
"""
