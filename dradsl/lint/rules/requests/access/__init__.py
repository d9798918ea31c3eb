"""Family 3, admin access: where it is given, and to which pods."""
