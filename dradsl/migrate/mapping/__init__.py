"""What one extended resource becomes, and which questions that leaves; nothing of pods."""
