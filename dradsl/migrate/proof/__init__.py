"""Proof that a migration is sound."""
