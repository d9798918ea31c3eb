"""Rules on projects that read claims beside the scheduler: queues, virtual machines, autoscalers, monitoring."""
