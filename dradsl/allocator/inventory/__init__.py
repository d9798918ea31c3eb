"""What a cluster publishes: slices, devices, pools, nodes, what is allocated; nothing is chosen here."""
