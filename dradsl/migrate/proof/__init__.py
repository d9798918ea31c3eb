"""Proof that a migration is sound: lint and simulation of both states; it changes nothing."""
