"""Objects, expressions and parameters written as they must be, by what the judges of drivers say."""
