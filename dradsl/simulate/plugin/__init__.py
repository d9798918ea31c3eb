"""What the scheduler's plugin checks before and after the allocator: claims, extended resources, scores, verdicts."""
