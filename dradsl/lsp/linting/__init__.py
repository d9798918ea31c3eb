"""What is linted when: a folder as `dradsl lint` sees it, and findings as diagnostics."""
