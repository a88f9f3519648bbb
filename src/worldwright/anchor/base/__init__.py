"""The catalogue as a base: the business that a prompt or a document is nearest to, adapted to it, or under a bare surface.

nearest     which businesses of the catalogue the words speak of
adapt       a Blueprint of the catalogue with what a document says, the rest marked as borrowed
overlay     the tools of an API over the operations of a business
"""
