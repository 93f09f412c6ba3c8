"""Processes: a command's work in one of its own under a supervisor, tasks in several (decision 006).

`supervisor` and `worker` are the two sides of a command, `messages` what is said between them, `group` the processes
below one. `guard` does what can be done where there is no second process. `tasks` works on several things at once.
"""
