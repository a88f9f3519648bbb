"""Train a model in live worlds: SFT on demonstrations, then GRPO with verdicts as rewards. Only this package imports torch."""

CHAT_STYLES = ("auto", "native", "plain", "compact")
"""How conversations are written as text for a model; `auto` goes by what its tokenizer has."""
FIRST_METRICS = (
    "loss", "reward", "solved", "reward_variance", "all_0", "all_1", "entropy", "kl", "response_tokens", "tool_errors",
)  # fmt: skip
"""Of the metrics of a step, those that one looks at first, in this order: a terminal has room for no more."""
