"""Runs in the guest: edits and read-backs of a workbook."""

from __future__ import annotations

from typing import Any


def used_cells(doc: Any) -> dict[str, Any]:
    """What the used cells of the first sheet hold: numbers, or texts."""
    sheet = doc.Sheets.getByIndex(0)
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    columns, rows = cursor.RangeAddress.EndColumn, cursor.RangeAddress.EndRow
    found: dict[str, Any] = {}
    for row in range(min(rows, 60) + 1):
        for column in range(min(columns, 25) + 1):
            cell = sheet.getCellByPosition(column, row)
            if cell.String:
                found[f"{chr(65 + column)}{row + 1}"] = (
                    cell.String if cell.FormulaResultType2 == 2 or cell.Type.value == "TEXT" else cell.Value
                )
    return found


def set_cells(doc: Any, cells: dict[str, Any], plain: bool = False) -> None:
    """Types into cells of the first sheet: formulas, numbers or texts; ``plain`` shows the numbers as numbers."""
    sheet = doc.Sheets.getByIndex(0)
    for reference, value in cells.items():
        cell = sheet.getCellRangeByName(reference)
        if plain:
            cell.NumberFormat = 0
        if isinstance(value, int | float):
            cell.Value = value
        else:
            cell.Formula = value
