"""Where device plugins are used: pods, values, charts; not what becomes of the uses."""
