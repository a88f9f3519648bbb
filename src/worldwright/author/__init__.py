"""The bench where an author makes a draft deep: evidence and claims beside a Blueprint, and findings on what is missing."""
