"""Evidence as data, without logic: relations for PROVED, plays and runs for REFUTED."""
