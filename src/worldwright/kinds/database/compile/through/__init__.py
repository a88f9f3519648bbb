"""Whether tasks can be done with the tools of a contract alone: what these show, and what a task rests on."""
