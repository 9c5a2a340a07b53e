"""Workbooks of Excel, written without a library."""

import zipfile
from xml.sax.saxutils import escape


def workbook(path, *sheets):
    """Write rows as the sheets a, b, ... of a workbook, with the least that one may hold."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    numbers = range(1, len(sheets) + 1)
    links = "".join(
        f'<Relationship Id="r{n}" Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    names = "".join(f'<sheet name="{"abcdef"[n - 1]}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{links}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{names}</sheets>'
        f"</workbook>",
    } | {
        f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{main}"><sheetData>{_cells(rows)}'
        f"</sheetData></worksheet>"
        for n, rows in zip(numbers, sheets, strict=True)
    }
    with zipfile.ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)


def _cells(rows):
    return "".join(
        "<row>"
        + "".join(
            f"<c><v>{cell}</v></c>"
            if isinstance(cell, float)
            else f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            for cell in row
        )
        + "</row>"
        for row in rows
    )
