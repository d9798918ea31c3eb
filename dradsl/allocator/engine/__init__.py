"""The search for devices on one node, as the scheduler's allocator does it; knows nothing of files or findings."""
