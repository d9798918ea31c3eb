"""Driver schemas: reading them, recorded slices as schemas, merging, inferring, showing."""
