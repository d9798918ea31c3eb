"""Values that manifests hold as text: quantities, semantic versions and names. Private: names may change in any version."""
