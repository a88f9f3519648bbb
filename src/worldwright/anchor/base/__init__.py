"""The tools of an API laid over a business of the catalogue, where somebody asks for that."""
