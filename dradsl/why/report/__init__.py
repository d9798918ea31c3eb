"""How answers, devices and claims are shown: as text for a screen, and as JSON."""
