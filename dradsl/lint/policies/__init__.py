"""Rules of a team put to objects: what an expression sees of each, and the verdicts."""
