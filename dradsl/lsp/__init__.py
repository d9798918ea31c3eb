"""The language server: what `dradsl lint` finds, and what it knows, while one types. Private: names may change in any version."""
