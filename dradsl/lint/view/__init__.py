"""What a rule may look at, and the form of what it says; no rule."""
