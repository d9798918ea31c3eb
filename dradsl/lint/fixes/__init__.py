"""Edits that mend a finding; they are applied in `engine`."""
