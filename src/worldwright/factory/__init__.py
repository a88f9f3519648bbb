"""The whole build of one world as one pure function, and of many, resumable."""
