"""What a selector compares names with: constants of the right type, values and amounts that there are."""
