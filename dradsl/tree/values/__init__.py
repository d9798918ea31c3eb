"""Helm values in files and objects: where they stand, which releases they are for, and what charts make of them."""
