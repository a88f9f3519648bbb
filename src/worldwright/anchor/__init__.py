"""Anchors: the evidence a company has, read into one neutral form, made into a Blueprint, and locked."""
