"""The playground of the site in a real browser."""
