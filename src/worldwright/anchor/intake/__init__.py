"""What somebody gives, as bytes with a kind, and the reader that each kind goes to."""
