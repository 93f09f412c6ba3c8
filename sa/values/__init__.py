"""The game of closed goals among concrete states with small values: plays without lemmas.

`search` looks for a win of Spoiler, on the machines of `explicit` (states and steps), `answers` (abstract answers),
`pairs` (who has lost) and `one_way` (numbers that only grow); `play` lists what was won as a play.
"""
