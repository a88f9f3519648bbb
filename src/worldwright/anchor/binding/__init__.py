"""What became of the claims of the evidence: the nodes of a Blueprint that give them force."""
