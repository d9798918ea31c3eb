"""Which findings hold: not those that follow from others, hang on unknown values, or only may be so."""
