"""What a pack says, as plain records: the screen shows them and `--json` prints them."""
