"""Deciding cases: for each policy, the cases in which its rule changes its mind, to be read beside its sentence."""
