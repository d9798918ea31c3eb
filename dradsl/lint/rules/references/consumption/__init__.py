"""Family 4, how many pods and containers use a claim, and in which amounts."""
