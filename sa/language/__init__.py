"""The `.sa` language: text -> surface syntax -> names -> types -> automata. One phase a file."""
