"""What a dump says by itself, in conditions, events and states: of pods and their owners, and of operators and nodes."""
