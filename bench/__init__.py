"""Runnable measurements and the demo; never installed, so nothing in the four packages may need it."""
