"""What `sacheck refine` does: goals from programs, strategies, checking, and the answer."""
