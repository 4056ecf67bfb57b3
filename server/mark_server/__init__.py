"""The only place that wires: tools, transports, callers, command line.

Imports nothing heavy, so that `marklookup --help` stays quick.
"""

from importlib.metadata import version

__all__: list[str] = []

__version__ = version("marklookup")
