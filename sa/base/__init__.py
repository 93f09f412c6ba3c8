"""Spans, diagnostics, verdicts and limits: what every other room speaks in."""
