"""The proof: every verifier is held against episodes that must pass and episodes that must not, before it is sealed."""
