"""What a cluster publishes: slices, devices, pools, nodes and what is allocated of them."""
