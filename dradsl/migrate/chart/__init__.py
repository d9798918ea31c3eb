"""For the author of a chart: which values reach its pods, and the three places that claims need."""
