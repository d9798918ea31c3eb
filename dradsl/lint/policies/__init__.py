"""Rules of a team put to objects: what an expression sees of each, the verdicts, trials of examples."""
