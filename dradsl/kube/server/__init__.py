"""What the API server does with an object, step by step, and what it remembers between objects."""
