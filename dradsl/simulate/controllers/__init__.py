"""What controllers make of objects: pods of DaemonSets, templates of ComputeDomains."""
