"""Every rule (code, name, severity) and the words for what the API server refuses; no check."""
