"""The tests of the library see it as an installed one would be seen."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "apps")]
