"""Families 2 and 8: selectors and configurations against what drivers publish and take."""
