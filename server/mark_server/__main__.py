"""`python -m mark_server` is `marklookup`."""

from mark_server.cli import main

if __name__ == "__main__":
    main()
