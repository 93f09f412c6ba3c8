"""Use cases: a request in, an outcome out. Nothing here prints, and nothing here decides verdicts."""
