"""`python -m sa`: the command line."""

from sa.cli.start import main

main()
