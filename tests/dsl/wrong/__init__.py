"""Programs that are wrong, one a line, and who catches each of them: the test reads `programs.txt`."""
