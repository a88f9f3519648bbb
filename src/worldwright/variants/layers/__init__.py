"""The complexity layers, one file each. Their order is the order in which they are laid, named and spoken of."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.variants.layer import Layer
from worldwright.variants.layers import (
    budget_caps,
    currencies,
    delegated_roles,
    duplicates,
    flaky_errors,
    half_finished,
    id_reuse,
    legacy_dates,
    look_alikes,
    partial_refunds,
    policy_conflicts,
    rate_limits,
    schema_drift,
    seasonal_rules,
    soft_deleted,
    stale,
    time_zones,
)

LAYERS: Mapping[str, Layer] = {
    module.LAYER.name: module.LAYER
    for module in (
        budget_caps,
        currencies,
        delegated_roles,
        duplicates,
        flaky_errors,
        half_finished,
        id_reuse,
        legacy_dates,
        look_alikes,
        partial_refunds,
        policy_conflicts,
        rate_limits,
        schema_drift,
        seasonal_rules,
        soft_deleted,
        stale,
        time_zones,
    )
}
