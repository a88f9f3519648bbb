"""From Blueprint to World: a tuple of typed passes and a loop; it decides what, the kind knows how."""
