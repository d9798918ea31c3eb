"""What a driver schema says of selectors, requests, constraints and configuration; nothing of files."""
