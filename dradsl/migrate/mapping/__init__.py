"""What one extended resource becomes, and which questions stay open; pods are not handled here."""
