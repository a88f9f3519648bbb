"""Packs as OCI artifacts and worlds as OCI images: layouts on disk, and registries.

A pack is cut into layers by what variants share. An image is a base, a runtime and those layers of a pack that a world runs on;
the artifact of the same pack has these very layers and those that judge, so in one layout a world lies once.
"""
