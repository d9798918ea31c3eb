"""What was probably meant: names, literals, comparisons and drivers, as text to write in their place."""
