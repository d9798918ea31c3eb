"""A checked expression as nested Python closures; what they cost is counted in `cost`."""
