"""From tokens to the surface syntax: one function for each rule of the grammar."""
