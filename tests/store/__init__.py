"""Tests of `mark_store`."""
