"""Values that manifests hold as text: quantities, semantic versions and names."""
