"""Where device plugins are used: pods, values, charts."""
