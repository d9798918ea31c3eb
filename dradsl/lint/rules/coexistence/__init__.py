"""Rules on device plugins and claims side by side."""
