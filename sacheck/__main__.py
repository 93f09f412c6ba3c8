"""`python -m sacheck`: the command line."""

from sa.cli.start import main

main()
