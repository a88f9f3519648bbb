"""How well a scripted person understands what they are asked, and the fitting of the table that they understand by."""
