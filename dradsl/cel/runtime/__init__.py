"""Values of CEL and what operators do to them; nothing of expressions."""
