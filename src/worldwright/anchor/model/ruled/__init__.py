"""Rules of the evidence as policies of the derived Blueprint: sentences of documents, validations of code, checks of databases.

A sentence becomes a policy only where all that it says is understood: the thing, what is done to it, and what must be so. Whatever
is in doubt stays out, with the reason.
"""
