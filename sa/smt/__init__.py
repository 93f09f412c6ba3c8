"""The only room that imports z3: translation, sessions, models. No z3 object leaves it."""
