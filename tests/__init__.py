"""The tests of all packages. A package only so that tests can share `tests.waiting` under one name."""
