"""OsmAnd: favourites, markers and tracks."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import ClassVar

from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

_FILES = "/storage/emulated/0/Android/data/net.osmand/files"
_GPX = '<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="unibench">{}</gpx>'


def known_places() -> dict[str, tuple[float, float]]:
    """The places that upstream knows, by name."""
    from android_world.task_evals.single import osmand

    return dict(osmand._PRELOADED_MAP_LOCATIONS)


def place(said: str) -> tuple[float, float]:
    """Where a place is that is named, or given by its coordinates."""
    numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+", said)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else known_places()[said]


def another(than: tuple[float, float]) -> tuple[float, float]:
    return next(where for where in known_places().values() if where != than)


class Point(Recipe):
    """One point on the map, as [latitude, longitude]."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-place", "a-kilometre-off")
    form: ClassVar[str] = ""

    def by_words(self) -> State:
        return [*self.before, list(place(self.match(self.form)[1]))]

    def by_data(self) -> State:
        return [*self.before, list(place(self.task.params["location"]))]

    def mutant(self, name: str, wanted: State) -> State | None:
        north, east = wanted[-1]
        return [*self.before, list(another((north, east))) if name == "other-place" else [round(north + 0.01, 7), east]]


@recipe("OsmAndFavorite")
class Favourite(Point):
    form = r"Add a favorite location marker for (.+) in the OsmAnd maps app\."
    _path = f"{_FILES}/favorites/favorites.gpx"

    def read(self) -> State:
        return [
            [float(north), float(east)]
            for north, east in re.findall(r'<wpt lat="([^"]+)" lon="([^"]+)"', self.phone.shell("cat", self._path))
        ]

    def construct(self, state: State) -> None:
        names = {where: name for name, where in known_places().items()}
        points = []
        for north, east in state:
            name = html.escape(names.get((north, east), "a place"))
            points.append(f'<wpt lat="{north}" lon="{east}"><name>{name}</name></wpt>')
        self.phone.write(self._path, _GPX.format("".join(points)))


@recipe("OsmAndMarker")
class Marker(Point):
    form = r"Add a location marker for (.+) in the OsmAnd maps app\."

    def read(self) -> State:
        rows = self.phone.rows(self.task.db_path, self.task.table_name, ["marker_lat", "marker_lon"])
        return [[float(str(row["marker_lat"])), float(str(row["marker_lon"]))] for row in rows]

    def construct(self, state: State) -> None:
        self.phone.stop("net.osmand")
        for number, (north, east) in enumerate(state[len(self.before) :]):
            self.phone.insert(
                self.task.db_path, self.task.table_name, {"marker_id": f"unibench-{number}", "marker_lat": north, "marker_lon": east}
            )


@recipe("OsmAndTrack")
class Track(Recipe):
    """The points of the tracks, file by file."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-order", "one-missing", "only-the-first")
    _folder = f"{_FILES}/tracks"

    def _track(self, places: Sequence[str]) -> State:
        return {**self.before, "unibench.gpx": [list(place(name)) for name in places]}

    def by_words(self) -> State:
        listed = self.match(r"Save a track with waypoints (.+) in the OsmAnd maps app in the same order as listed\.")[1]
        return self._track([f"{name}, Liechtenstein" for name in re.findall(r"([^,]+), Liechtenstein(?:, )?", listed)])

    def by_data(self) -> State:
        return self._track(self.task.params["waypoints"])

    def mutant(self, name: str, wanted: State) -> State | None:
        points = wanted["unibench.gpx"]
        made = {"other-order": points[::-1], "one-missing": points[:-1], "only-the-first": points[:1]}[name]
        return {**self.before, "unibench.gpx": made}

    def construct(self, state: State) -> None:
        points = "".join(f'<trkpt lat="{north}" lon="{east}"/>' for north, east in state["unibench.gpx"])
        self.phone.write(f"{self._folder}/unibench.gpx", _GPX.format(f"<trk><trkseg>{points}</trkseg></trk>"))

    def read(self) -> State:
        return {
            name: [[float(north), float(east)] for north, east in re.findall(r'<trkpt lat="([^"]+)" lon="([^"]+)"', str(text))]
            for name, text in self.phone.tree(self._folder).items()
        }
