"""Family 6, DeviceTaintRules that hit other devices than was meant."""
