"""What the API server's validation rejects in decoded Pods and workloads, besides claims and extended resources."""
