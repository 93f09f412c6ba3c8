"""Files of every kind as `automata.Program`: `load` picks the loader by the suffix; `.sa` is read by `sa.language`."""
