"""The game of closed goals among concrete states: plays without lemmas, and proofs by all pairs of states.

`search` looks for a win of Spoiler, on the machines of `explicit` (states and steps), `answers` (abstract answers),
`pairs` (who has lost) and `one_way` (numbers that only grow); `play` lists what was won as a play, from initial states
of `opening`; `closed` lists the pairs where nothing was left out. `sought` is what is asked.
"""
