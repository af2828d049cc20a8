"""Everything that plays: ``<game>/<name>.py``, one file = one strategy = its name."""
