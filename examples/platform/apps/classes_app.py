"""What the platform team applies itself: `dradsl build apps/classes_app.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # an installed library needs no such line

from acme_dra.classes import app

__all__ = ["app"]
