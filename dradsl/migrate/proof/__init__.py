"""Proof that a migration is sound: lint and simulation of both states, without changes."""
