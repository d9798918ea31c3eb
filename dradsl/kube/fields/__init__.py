"""The fields of the API: one table, and decoding, defaults, conversion and models made from it."""
