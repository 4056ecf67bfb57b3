"""Tests of mark_outline."""
