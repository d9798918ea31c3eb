"""The fields of the API: one table, and what is derived from it (decoding, defaults, conversion, models)."""
