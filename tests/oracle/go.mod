// Marks the root only: every build names one of releases/*.mod with -modfile.
module dradsl.dev/oracle

go 1.24
