"""Formats: bytes that somebody else wrote, to plain data and back.

Nothing here knows what the data is about. Whatever is read is bounded, and nothing is ever constructed from it but dicts, lists,
texts, numbers, booleans and null.

- `strict_yaml` is for files that people write for this program: it refuses what a Blueprint or a settings file needs no more
  than a bomb does, and keeps the line of every node. `yaml_or_json` is for files that were written for other programs: it puts up
  with what it can, and says so.
- `json_text` reads JSON that is in memory, `json_stream` JSON of any length. `ijson` would do the second, but it neither tells the
  line of a value, which is what a finding is shown with, nor reads lists and values in a row by one call.
- `parquet` is the only place that loads pyarrow, which comes with an extra.
"""
