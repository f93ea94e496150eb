"""The "upstream": a notebook that renders itself as HTML. Like many upstreams, it insists on an environment variable."""

import os
from collections.abc import Sequence
from html import escape
from html.parser import HTMLParser

if "NOTEBOOK_HOME" not in os.environ:
    raise RuntimeError("NOTEBOOK_HOME must be set before the notebook is imported")

VERSION = "1.0"


class Notebook:
    """Notes with ticks, a draft, and a theme. What is on the page is saved only by ``press("save")``."""

    def __init__(self, notes: Sequence[str]) -> None:
        self.notes = list(notes)
        self.ticked = [False] * len(self.notes)
        self.draft = ""
        self.theme = "light"

    def press(self, what: str) -> None:
        """Presses a button: ``save``, ``theme``, or ``tick-N``.

        Raises:
            KeyError: there is no such button.
        """
        if what == "save":
            if self.draft:
                self.notes.append(self.draft)
                self.ticked.append(False)
                self.draft = ""
        elif what == "theme":
            self.theme = "dark" if self.theme == "light" else "light"
        elif what.startswith("tick-") and what[5:].isdecimal() and int(what[5:]) < len(self.notes):
            self.ticked[int(what[5:])] ^= True
        else:
            raise KeyError(what)

    def html(self) -> str:
        """The page."""
        notes = "".join(
            f'<li class="note">{escape(note)}</li><input class="tick" type="checkbox"{" checked" if ticked else ""}>'
            for note, ticked in zip(self.notes, self.ticked, strict=True)
        )
        return f'<body><p id="theme">{self.theme}</p><ul>{notes}</ul><textarea id="draft">{escape(self.draft)}</textarea></body>'


class HtmlPage:
    """unibench_verifiers' page probe over the notebook's HTML; selectors are ``#id`` and ``.class``."""

    def __init__(self, notebook: Notebook) -> None:
        self._html = notebook.html()

    def url(self) -> str:
        return "notebook:/"

    def read(self, selector: str, what: str) -> list[str]:
        finder = _Finder(selector)
        finder.feed(self._html)
        return [str(checked).lower() for _, checked in finder.found] if what == "checked" else [text for text, _ in finder.found]


class _Finder(HTMLParser):
    def __init__(self, selector: str) -> None:
        super().__init__()
        self.attribute = "id" if selector.startswith("#") else "class"
        self.value = selector[1:]
        self.inside = ""
        self.found: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get(self.attribute) == self.value:
            self.found.append(("", "checked" in given))
            self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            text, checked = self.found[-1]
            self.found[-1] = (text + data, checked)
