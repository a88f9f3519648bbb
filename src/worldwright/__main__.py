"""`python -m worldwright`."""

from worldwright.cli.main import main

main()
