"""The files that a run reads: found below the paths that a call names, and chosen by what they hold."""
