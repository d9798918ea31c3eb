"""Why a pod has no node, step by step."""
