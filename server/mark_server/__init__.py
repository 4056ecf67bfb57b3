"""The only place that wires: tools, transports, callers, command line.

Imports nothing heavy, so that `marklookup --help` stays quick.
"""

__all__: list[str] = []

__version__ = "0.1.0"
