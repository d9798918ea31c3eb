"""The open texts and their projects: names across files, drivers of the configuration, recorded devices."""
