"""What is applied together: the role of each file, and which builds reach it."""
