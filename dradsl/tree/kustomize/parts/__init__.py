"""What builds are made with: files, objects, the fields and names in them, and what is known of kinds."""
