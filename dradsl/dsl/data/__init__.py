"""What builders are made of: frozen plain data, places in Python, objects of the official client."""
