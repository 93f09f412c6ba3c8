"""Evidence as data, without logic: relations for PROVED, plays for REFUTED."""
