"""Pictures of graphs: laid out by Graphviz in a process of its own, drawn as SVG by us."""
