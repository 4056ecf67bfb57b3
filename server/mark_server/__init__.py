"""The only place that wires: tools, transports, callers, command line.

Imports nothing heavy, so that `marklookup --help` stays quick.
"""

from mark_server.completions import openai_compatible

__all__ = ["openai_compatible"]

__version__ = "0.1.0"
