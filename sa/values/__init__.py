"""The game of closed goals among concrete states with small values: plays without lemmas.

`search` looks for a win of Spoiler, on `machine` (states and steps), `answers` (abstract answers) and `pairs` (who has
lost), `one_way` (numbers that only grow); `play` lists what was won as a play.
"""
