"""Rules on values of the charts that install drivers and device plugins."""
