"""The rooms of the studio: a file for each, with its pages and what its forms do."""
