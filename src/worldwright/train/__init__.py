"""Train a model in live worlds: SFT on demonstrations, then GRPO with verdicts as rewards. Only this package imports torch."""
