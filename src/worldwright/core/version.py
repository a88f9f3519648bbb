"""The version of Worldwright, recorded in every pack."""

VERSION = "0.1.0"
