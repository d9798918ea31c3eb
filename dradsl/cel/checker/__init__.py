"""Types and overloads of an expression, and what can be wrong with it before it runs; no values."""
