"""Reports of a migration, one module a format, each with `render(migration, out)`."""
