"""The tool graph of a world: walks over its tools, the edges they prove, and the sub-domains they fall into."""
