"""The protocol's own conformance suite against our HTTP server, and what it asks that we do not have."""
