"""Text to a tree and back: lexer, parser, macros, printer; nothing of types."""
