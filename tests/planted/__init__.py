"""Mistakes planted in checkouts of real repositories, counted by `python -m tests.planted`."""
