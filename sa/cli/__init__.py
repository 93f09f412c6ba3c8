"""The command line: options, exit status, and where output goes. A thin shell over `app`.

Commands import what they need when they run, so that `--help` does not wait for the solver.
"""
