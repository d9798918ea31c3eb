"""The files of a run, now and before a change; what cannot be read becomes a finding."""
