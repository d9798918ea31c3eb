"""Rule documents and their examples."""
