"""What is known of the open texts: names of the project, what a configuration knows, recorded devices."""
