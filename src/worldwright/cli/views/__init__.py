"""What commands show on the screen, one file per subject."""
