"""Why a claim does not fit, on one node and on a whole fleet; it searches nothing itself."""
