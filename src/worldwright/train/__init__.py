"""Train a model in live worlds: SFT on demonstrations, then GRPO with verdicts as rewards. Only this package imports torch."""

CHAT_STYLES = ("auto", "native", "plain", "compact")
"""How conversations are written as text for a model; `auto` goes by what its tokenizer has."""
