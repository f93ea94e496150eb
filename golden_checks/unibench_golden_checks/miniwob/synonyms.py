"""Words of like meaning, as far as the tasks ask for them: a small thesaurus of our own."""

from __future__ import annotations

_SENSES = """
bunny rabbit hare
pig pork swine hog
auto automobile car vehicle
television TV telly
dwelling home house
fire flame blaze
water
aged ancient archaic old
enormous giant gigantic huge big large
little mini petite tiny small
crimson scarlet vermillion red
glad cheerful delighted gleeful joyful happy
miserable sorrowful tragic unhappy sad
furious irritated mad angry
corrupt depraved immoral sinful wicked evil
erroneous false incorrect mistaken wrong
actual genuine true real
odd peculiar unusual weird strange
calm mild peaceful serene quiet
afraid fearful frightened panicked terrified scared
bold courageous fearless brave
dull dumb unwise stupid
amusing comical humorous laughable funny
chubby fleshy plump fat
appetizing delectable savory tasty delicious
cease end finish halt stop
initiate launch start begin
reply respond response answer
adore favor like love
despise detest dislike loathe hate
assassinate murder kill
maintain preserve retain sustain keep
camouflage conceal hide
carve chop slice cut
"""

_SENSE_OF: dict[str, str] = {word.lower(): words.split()[0] for words in _SENSES.strip().splitlines() for word in words.split()}


def sense(word: str) -> str | None:
    """What a word means: the same value for words of like meaning, for one thing and for several; None if unknown."""
    word = word.lower()
    for singular in (word, word.removesuffix("s"), word.removesuffix("ies") + "y"):
        if singular in _SENSE_OF:
            return _SENSE_OF[singular]
    return None


# Senses that touch: whether a word of one is similar to a word of the other is open to doubt ("immoral" and "wrong").
_TOUCHING = (
    {"corrupt", "erroneous"},
    {"miserable", "furious"},
    {"furious", "odd"},
    {"furious", "despise"},
    {"corrupt", "assassinate"},
    {"dull", "calm"},
    {"aged", "odd"},
    {"cease", "assassinate"},
    {"carve", "assassinate"},
    {"cease", "carve"},
    {"glad", "amusing"},
    {"glad", "adore"},
    {"amusing", "odd"},
    {"enormous", "chubby"},
)


def akin(one: str, other: str) -> bool:
    """Whether two words of different senses might yet be called similar."""
    return {sense(one), sense(other)} in _TOUCHING
