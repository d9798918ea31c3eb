// Marks the root only: every build names 1.36.mod with -modfile.
module dradsl.dev/controlplane

go 1.24
