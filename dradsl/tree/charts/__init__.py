"""What is known of charts and operators: where they hold device requests, and what depends on these."""
