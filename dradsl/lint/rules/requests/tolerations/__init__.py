"""Family 3, tolerations of device taints that do more or less than they seem to."""
