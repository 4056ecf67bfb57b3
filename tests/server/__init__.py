"""The surfaces: the tools over every transport, the command line, the process."""
