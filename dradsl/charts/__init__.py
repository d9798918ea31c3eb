"""What is known of charts and operators: where they hold device requests, and what hangs on these."""
