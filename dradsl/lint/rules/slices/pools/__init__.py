"""Family 6, pools: slices of one file that contradict each other, so that the scheduler leaves them out."""
