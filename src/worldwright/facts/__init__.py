"""What packs, anchors and the store say, as plain records: the terminal shows them, `--json` prints them, the studio draws them."""
