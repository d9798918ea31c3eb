"""For the author of a chart: what of the values reaches its pods, and the three places that claims need."""
