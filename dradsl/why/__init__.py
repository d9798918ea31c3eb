"""Why a pod is pending, and who holds what: read from a dump of a cluster, or from the cluster.

Private: names may change in any version.
"""
