"""Recipes for posts with buttons below them."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

ICONS = {"Reply": ".reply", "Retweet": ".retweet", "Like": ".like", "Share": ".share"}
"""The buttons that are icons, by what they mean."""

# Whose post and which of its buttons lies under a point: a menu entry's words, or an icon's name.
_UNDER = """([x, y, icons]) => {
  const hit = document.elementFromPoint(x, y), post = hit && hit.closest('.media');
  if (!post) return null;
  const user = post.querySelector('.username').textContent;
  const icon = Object.keys(icons).find(k => hit.matches('.controls > ' + icons[k]));
  return {user, button: icon ?? (hit.matches('.controls li') ? hit.textContent.trim() : null)};
}"""

# The buttons that are pressed: number of the post and icon's name.
_PRESSED = """icons => [...document.querySelectorAll('.media')].flatMap((post, i) =>
  Object.keys(icons).filter(k => post.querySelector(icons[k] + '.active')).map(k => [i, k]))"""

# Whether the icons have come: they have no width before.
_ICONS = "() => [...document.querySelectorAll('.controls > span')].every(e => e.offsetWidth)"


class Posts(Recipe):
    """Posts, each with a row of icons."""

    def point_at_icon(self, icon: str, post: int) -> None:
        """Moves the pointer onto an icon, and waits for the coloured one that comes then."""
        self.hand.wait_until(_ICONS)
        self.hand.point_at(icon, post)
        self.hand.wait_until(_ICONS)


@recipe("social-media")
class SocialMedia(Posts):
    """ "For the user @ann, click on the "Share via DM" button."; the state is whose button the pointer is on."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-button", "other-kind-of-button")

    def users(self) -> list[str]:
        return self.hand.texts(".media .username")

    def entries(self, user: str) -> list[str]:
        """The words in the menu of a user's post."""
        found: list[str] = self.hand.read(
            "i => [...document.querySelectorAll('.media')[i].querySelectorAll('.controls li')].map(e => e.textContent.trim())",
            self.users().index(user),
        )
        return found

    def label(self, user: str, words: str) -> str:
        """The button that the goal means: "Mute" is "Mute @ann" in the menu."""
        return words if words in ICONS or words in self.entries(user) else f"{words} {user}"

    def want(self) -> State:
        user, words = self.match(r'For the user (\S+), click on the "(.*)" button').groups()
        return {"user": user, "button": self.label(user, words)}

    def mutant(self, name: str) -> State | None:
        user, button = self.wanted["user"], self.wanted["button"]
        if name == "other-target":
            other = next(others(self.users(), user), None)
            return other and {"user": other, "button": button.replace(user, other)}
        icons, menu = [k for k in ICONS if k != "Share"], self.entries(user)
        kind = icons if (button in icons) == (name == "wrong-button") else menu
        return {"user": user, "button": next(others(kind, button))}

    def construct(self, state: State) -> None:
        post = self.users().index(state["user"])
        if state["button"] in ICONS:
            self.point_at_icon(f".controls > {ICONS[state['button']]}", post)
        else:
            self.point_at_icon(".more", post)
            self.hand.press_button()
            menu = self.entries(state["user"])
            self.hand.point_at(".controls li", post * len(menu) + menu.index(state["button"]))

    def read(self) -> State:
        return self.hand.read(_UNDER, [*self.hand.at, ICONS])

    def commit(self) -> None:
        self.hand.press_button()


class PressOnPosts(Posts):
    """Press one button on several posts and Submit; the state is the pressed buttons, each with its post's number."""

    user: str
    button: str

    def posts(self) -> list[int]:
        """The numbers of the user's posts."""
        return [i for i, user in enumerate(self.hand.texts(".media .username")) if user == self.user]

    def stranger(self) -> list[int]:
        """The number of the first post by another user, if there is one."""
        return [i for i, user in enumerate(self.hand.texts(".media .username")) if user != self.user][:1]

    def mutant(self, name: str) -> State | None:
        wanted = self.wanted
        extra = [[i, self.button] for i in self.stranger()]
        wrong = next(others(list(ICONS), self.button))
        if name == "one-missing":
            return wanted[1:]
        if name == "one-wrong":
            return sorted([*wanted[1:], *extra]) if extra else None
        if name == "one-too-many":
            return sorted([*wanted, *extra]) if extra else None
        if name == "wrong-button":
            return sorted([[wanted[0][0], wrong], *wanted[1:]])
        return sorted([*wanted, [wanted[0][0], wrong]])

    def construct(self, state: State) -> None:
        for post, button in state:
            self.point_at_icon(f".controls > {ICONS[button]}", post)
            self.hand.press_button()

    def read(self) -> State:
        return sorted(self.hand.read(_PRESSED, ICONS))

    def commit(self) -> None:
        self.hand.click("#submitRow button")


@recipe("social-media-all")
class SocialMediaAll(PressOnPosts):
    """ "Click the "Like" button on all posts by @ann and then click Submit."."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many", "wrong-button", "second-button")

    def want(self) -> State:
        self.button, self.user = self.match(r'Click the "(\w+)" button on all posts by (\S+) and then').groups()
        return [[post, self.button] for post in self.posts()]


@recipe("social-media-some")
class SocialMediaSome(PressOnPosts):
    """ "Click the "Like" button on 2 posts by @ann and then click Submit."; any two of them will do."""

    mutations: ClassVar[tuple[str, ...]] = (*SocialMediaAll.mutations, "one-more-of-theirs")

    def want(self) -> State:
        self.button, number, self.user = self.match(r'Click the "(\w+)" button on (\d+) posts? by (\S+) and then').groups()
        return [[post, self.button] for post in self.posts()[: int(number)]]

    def right(self, state: State) -> bool:
        theirs = [[post, self.button] for post in self.posts()]
        return len(state) == len(self.wanted) and all(pressed in theirs for pressed in state)

    def mutant(self, name: str) -> State | None:
        if name != "one-more-of-theirs":
            return super().mutant(name)
        more = self.posts()[len(self.wanted) :]
        return [*self.wanted, [more[0], self.button]] if more else None
