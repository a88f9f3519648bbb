"""Languages told from a text."""

from __future__ import annotations

import pytest

from worldwright.english.languages import NAMES, language_of, language_of_sentence


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Every order must be approved by the manager before it is sent.", "en"),
        ("Der Auftrag muss von der Leitung genehmigt werden und ist dann bindend.", "de"),
        ("La commande doit être approuvée par le responsable avant envoi.", "fr"),
        ("Zamówienie nie może być wysłane przez system i jest do poprawy.", "pl"),
        ("Ordern ska godkännas av en chef och kan inte ändras.", "sv"),
        ("注文は承認されなければならない。", "ja"),
        ("订单必须经过批准。", "zh"),
        ("주문은 승인되어야 한다.", "ko"),
        ("Заказ должен быть одобрен.", "ru"),
        ("Η παραγγελία πρέπει να εγκριθεί.", "el"),
        ("12345 67.8", ""),
        ("PO_LINE_ID sku qty", ""),
    ],
)
def test_the_language_of_a_text(text: str, code: str) -> None:
    assert language_of(text) == code
    assert not code or code in NAMES


def test_latin_letters_in_a_document_of_another_script_are_english() -> None:
    assert language_of_sentence("The order must be approved.", "ja") == "en"
    assert language_of_sentence("注文", "ja") == "ja"
    assert language_of_sentence("Der Auftrag", "de") == "de"
    assert language_of_sentence("An order", "") == "en"
