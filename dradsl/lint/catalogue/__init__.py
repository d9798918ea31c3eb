"""Every rule (code, name, severity) and the words for what the API server rejects; no check."""
