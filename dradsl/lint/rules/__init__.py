"""dradsl's own rules: one small module a rule, each with `check(run)`; the table is lint/catalogue."""
