"""The expansion: its cases, its invariants, and the reference it is compared with."""
