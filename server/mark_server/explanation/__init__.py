"""`marklookup explain`: where each token of a budget went, in the terminal, as a page, as JSON.

All of it is made of the trace's values; no text of a result is read. What is printed in a lookup, and what
it costs, is decided in `mark_expand`.
"""
