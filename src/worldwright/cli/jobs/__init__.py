"""Work that several commands share: building many worlds, images, assays, rebuilding, writing packs."""
