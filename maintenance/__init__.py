"""Commands for maintainers: each writes modules of dradsl from what they are made of. They are in no wheel."""
