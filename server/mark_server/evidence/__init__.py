"""How well lookups answer questions whose evidence is known: `marklookup eval`.

Measures are counted on the texts that a reader gets, never on what the code believes of itself. What is
looked up, and how, is left to the packages around it.
"""
