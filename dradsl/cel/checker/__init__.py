"""Types and overloads of an expression, and everything that can be wrong with it."""
