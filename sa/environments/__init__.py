"""What environments may do at a pair of locations (condition 2.a of THEORY section 3).

`closure` makes a relation reflexive and transitive, `moves` joins both environments, `matching` asks whether the
abstract one follows the concrete one, `stepwise` takes a step of a closure apart into exact steps, for plays.
"""
