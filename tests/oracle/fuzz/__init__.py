"""Generators of questions, and the comparison of both sides on them."""
