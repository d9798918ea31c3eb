"""Every page of the site at three widths, light and dark, in a browser."""
