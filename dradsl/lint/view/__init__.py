"""What a rule may look at, and what it says."""
