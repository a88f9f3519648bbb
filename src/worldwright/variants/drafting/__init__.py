"""What complexity layers are made with: where to lay something, and the shapes that several of them lay."""
