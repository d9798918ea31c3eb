"""The parts of pods, workloads and PodGroups that name claims; nothing else of pods."""
