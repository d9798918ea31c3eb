"""DRA driver schemas: what drivers publish, checking of selectors and configuration against it.

Private: names may change in any version.
"""
