"""Edits that fix a finding; they are applied in `engine`."""
