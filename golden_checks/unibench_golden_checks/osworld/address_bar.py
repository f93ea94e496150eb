"""Tasks whose verifier reads the address bar: the right address, entered by hand. Without a network the page is the browser's error page.

What such a verifier looks at is therefore the address alone; whether the page is shown it does not ask.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from pydantic import JsonValue

from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld import widgets
from unibench_golden_checks.osworld.browser import Browser
from unibench_golden_checks.osworld.on_screen import in_guest
from unibench_golden_checks.osworld.settings import Make, Recipe, by_hand, keys
from unibench_osworld.session import DesktopHandle

_TRIES = 3

BY_ADDRESS = Provenance(
    source="verifier-data",
    means="real-input",
    note="the site's own address of what the instruction asks for, as upstream has it; entered in the address bar, offline",
)
BY_WORDS = BY_ADDRESS.model_copy(update={"source": "instruction", "note": "the address follows from the instruction; entered offline"})


def typed(address: str) -> tuple[str, ...]:
    """pyautogui's code that writes an address into the address bar, and does not go there."""
    return (
        "time.sleep(1)",
        keys("ctrl", "l"),
        "time.sleep(0.5)",
        f"pyautogui.write({json.dumps(address)}, interval=0.01)",
        "time.sleep(0.5)",
    )


def visited(address: str) -> Make:
    """The address is entered in the address bar of the tab in front, and again where keys were lost."""
    # Delete takes away what the browser proposes to go on with.
    enter = by_hand(*typed(address), "pyautogui.press('delete')", "pyautogui.press('enter')", "time.sleep(2)")

    def make(handle: DesktopHandle) -> list[JsonValue]:
        steps: list[JsonValue] = []
        there: JsonValue = ""
        for _ in range(_TRIES):
            steps += enter(handle)
            there = in_front(handle)
            if _plain(str(there)) == _plain(address):
                return steps
        raise RecipeFailed(f"the tab in front is at {there!r}, not {address!r}")

    return make


def only_typed(address: str) -> Make:
    """The address is written into the address bar, and never gone to.

    It is read back there: on a busy machine keys are lost now and then, and the tab's own address would say nothing of it.
    """
    write = by_hand(*typed(address), "pyautogui.press('delete')", "time.sleep(0.5)")

    def make(handle: DesktopHandle) -> list[JsonValue]:
        steps: list[JsonValue] = []
        there = ""
        for _ in range(_TRIES):
            steps += write(handle)
            there = in_guest(handle, widgets.written, "Chromium", "entry", "Address and search bar")
            if there == address:
                return steps
        raise RecipeFailed(f"the address bar holds {there!r}, not {address!r}")

    return make


def in_front(handle: DesktopHandle) -> JsonValue:
    """The address of the tab in front, as the browser's DevTools have it."""
    return next(iter(Browser(handle).tabs()), "")


def _plain(address: str) -> str:
    """Without what the address bar leaves out."""
    return address.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def address(wanted: str, provenance: Provenance = BY_ADDRESS, also: dict[str, str] | None = None, **others: str) -> Recipe:
    """An address that must be gone to; the mutants go to another one, or nowhere.

    Args:
        also: other addresses that are right, by name.
        others: nearly right addresses, by name (``-`` written as ``_``).
    """
    right = {_plain(each) for each in (wanted, *(also or {}).values())}

    def is_right(found: Any) -> bool:
        return _plain(str(found)) in right

    bare = _plain(wanted) if wanted.startswith("http") else wanted
    return Recipe(
        wanted=wanted,
        golden=visited(wanted),
        read=in_front,
        right=is_right,
        provenance=provenance,
        also={name: visited(each) for name, each in (also or {}).items()},
        mutants={"only-typed": only_typed(bare), **{name.replace("_", "-"): visited(each) for name, each in others.items()}},
    )


def _next_month(day: int, today: date | None = None) -> date:
    first = (today or date.today()).replace(day=1)
    return (first + timedelta(days=32)).replace(day=day)


def _next_monday(today: date | None = None) -> date:
    now = today or date.today()
    return now + timedelta(days=7 - now.weekday())


_DMV = "https://www.dmv.virginia.gov/licenses-ids/license/applying/"


def _dublin_vienna(day: str, adults: int = 2, to: str = "VIE") -> str:
    return (
        f"https://www.ryanair.com/gb/en/trip/flights/select?adults={adults}&teens=0&children=0&dateOut={day}&isReturn=false&originIata=DUB"
        f"&destinationIata={to}&tpAdults={adults}&tpTeens=0&tpChildren=0&tpInfants=0&tpStartDate={day}&tpOriginIata=DUB&tpDestinationIata={to}"
    )


def _cars(price: int = 50000, near: int = 50) -> str:
    return f"https://www.cars.com/shopping/results/?fuel_slugs[]=electric&list_price_max={price}&maximum_distance={near}&zip=10001"


def _phones(*models: str) -> str:
    return f"https://www.apple.com/iphone/compare/?modelList={','.join(models)}"


def _large_car(start: date, end: date, category: str = "large") -> str:
    return (
        "https://www.rentalcars.com/search-results?locationName=Z%C3%BCrich&dropLocationName=Z%C3%BCrich"
        f"&filterCriteria_carCategory={category}&filterCriteria_sortBy=PRICE&puDay={start.day}&puMonth={start.month}&puYear={start.year}"
        f"&doDay={end.day}&doMonth={end.month}&doYear={end.year}"
    )


def _mumbai_stockholm(day: date, to: str = "ARN") -> str:
    return (
        "https://www.qatarairways.com/app/booking/flight-selection?widget=QR&searchType=F&bookingClass=E&tripType=O"
        f"&fromStation=BOM&toStation={to}&departing={day.isoformat()}&adults=1"
    )


def _shirts(size: str = "L", percent: int = 50, sleeve: str = "Short") -> str:
    return (
        "https://www.macys.com/shop/mens-clothing/mens-shirts/Men_regular_size_t,Price_discount_range,Sleeve_length/"
        f"{size},{percent}_PERCENT_%20off%20%26%20more,{sleeve}%20Sleeve?id=20626"
    )


def _weather(day: date, city: str = "manchester/m15-6", key: int = 329260) -> str:
    return f"https://www.accuweather.com/en/gb/{city}/{day.strftime('%B').lower()}-weather/{key}"


def _table() -> dict[str, Callable[[], Recipe]]:
    """The recipes, made when they are asked for: some addresses depend on the day."""
    return {
        "chrome/0d8b7de3-e8de-4d86-b9fd-dd2dce58a217": lambda: address(
            "https://www.drugs.com/npc/", also={"products": "https://www.drugs.com/npp/"}, other_page="https://www.drugs.com/npx/"
        ),
        "chrome/12086550-11c0-466b-b367-1d9e75b3910e": lambda: address(
            "chrome://password-manager/passwords", BY_WORDS, other_page="chrome://password-manager/settings"
        ),
        "chrome/1704f00f-79e6-43a7-961b-cedd3724d5fd": lambda: address(
            _large_car(_next_monday(), _next_monday() + timedelta(days=4)),
            BY_WORDS,
            other_day=_large_car(_next_monday(), _next_monday() + timedelta(days=5)),
            other_size=_large_car(_next_monday(), _next_monday() + timedelta(days=4), "medium"),
        ),
        "chrome/2888b4e6-5b47-4b57-8bf5-c73827890774": lambda: address(
            _shirts(), other_size=_shirts(size="M"), less_off=_shirts(percent=30), long_sleeve=_shirts(sleeve="Long")
        ),
        "chrome/368d9ba4-203c-40c1-9fa3-da2f1430ce63": lambda: address(
            _weather(date.today()), other_month=_weather(_next_month(1)), other_city=_weather(date.today(), "leeds/ls1-4", 329269)
        ),
        "chrome/59155008-fe71-45ec-8a8f-dc35497b6aa8": lambda: address(
            "https://www.babycenter.com/baby-names/details/carl-853", other_page="https://www.babycenter.com/baby-names/details/karl-1184"
        ),
        "chrome/82279c77-8fc6-46f6-9622-3ba96f61b477": lambda: address(
            _cars(), BY_WORDS, other_price=_cars(price=60000), other_distance=_cars(near=100)
        ),
        "chrome/82bc8d6a-36eb-4d2d-8801-ef714fb1e55a": lambda: address(
            _mumbai_stockholm(_next_monday()),
            BY_WORDS,
            other_day=_mumbai_stockholm(_next_monday() + timedelta(days=1)),
            other_city=_mumbai_stockholm(_next_monday(), "OSL"),
        ),
        "chrome/9f935cce-0a9f-435f-8007-817732bfc0a5": lambda: address(
            "https://www.justice.gov/forms?title=&field_component_target_id=431",
            other_division="https://www.justice.gov/forms?title=&field_component_target_id=426",
        ),
        "chrome/a728a36e-8bf1-4bb6-9a03-ef039a5233f0": lambda: address(_DMV + "eligibility", other_page=_DMV + "proof"),
        "chrome/b070486d-e161-459b-aa2b-ef442d973b92": lambda: address(
            "https://www.drugs.com/sfx/tamiflu-side-effects.html",
            also={"section": "https://www.drugs.com/tamiflu.html#side-effects"},
            other_medicine="https://www.drugs.com/sfx/xofluza-side-effects.html",
            other_section="https://www.drugs.com/tamiflu.html#dosage",
        ),
        "chrome/f0b971a1-6831-4b9b-a50e-22a6e47f45ba": lambda: address(
            "https://www.nfl.com/scores/2019/post4", other_season="https://www.nfl.com/scores/2020/post4"
        ),
        "chrome/f5d96daf-83a8-4c86-9686-bada31fc66ab": lambda: address(
            _phones("iphone-15-pro-max", "iphone-14-pro-max", "iphone-13-pro-max"),
            BY_WORDS,
            also={"other-order": _phones("iphone-13-pro-max", "iphone-14-pro-max", "iphone-15-pro-max")},
            other_model=_phones("iphone-15-pro-max", "iphone-14-pro-max", "iphone-13-pro"),
            one_missing=_phones("iphone-15-pro-max", "iphone-14-pro-max"),
        ),
        "chrome/f79439ad-3ee8-4f99-a518-0eb60e5652b0": lambda: address(
            _dublin_vienna(_next_month(10).isoformat()),
            BY_WORDS,
            other_day=_dublin_vienna(_next_month(11).isoformat()),
            one_adult=_dublin_vienna(_next_month(10).isoformat(), adults=1),
            other_city=_dublin_vienna(_next_month(10).isoformat(), to="BTS"),
        ),
    }


TABLE = _table()
