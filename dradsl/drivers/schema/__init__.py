"""Driver schemas: reading, recorded slices as schemas, merging, inferring, showing; no expressions run."""
