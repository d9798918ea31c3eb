"""What is built of a tree, before and after: patches rewritten as patches, and both sides compared."""
