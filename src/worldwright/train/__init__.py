"""Teaching a model in live worlds: SFT on demonstrations, then GRPO with verdicts as rewards. The only importer of torch."""
