"""Answers to questions about a place: meanings, completions, names, actions."""
