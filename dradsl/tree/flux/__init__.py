"""What Flux builds of a repository, and which files its sources leave out."""
