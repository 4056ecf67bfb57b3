"""The house: checks of the source itself (sizes, names, layers, manifest, wheel), not of behaviour."""
