# SPDX-License-Identifier: Apache-2.0
"""Keys of many owners in the few slots of one scheme machine; each owner uses only its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from ecsm.device.base import Result
from ecsm.schemes.machine import SLOTS
from ecsm.status import Busy, NoKey

Run = Callable[[str, int, tuple[bytes, ...]], Result]
"""Run an operation with a slot and strings on the device."""


@dataclass(repr=False)
class _Key:
    """A key: loaded ones have ``secret``, those made in the device are at their ``place`` only.

    ``by``: the operation that takes the secret, which is wrapped for "unwrap".
    """

    secret: bytearray | None
    place: int | None
    by: str = "load"

    def wipe(self) -> None:
        if self.secret is not None:
            self.secret[:] = bytes(len(self.secret))


class Slots:
    """Keys by owner and number; a key that was loaded is put into the device when it is used.

    So there may be more loaded keys than slots. At most all slots but one have keys that were made
    in the device: one slot is for loaded keys.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._keys: dict[tuple[Hashable, int], _Key] = {}  # the last one used is the last one

    def load(self, owner: Hashable, number: int, secret: bytes, by: str = "load") -> Result:
        """Load a key; raises what the device answers, and then the one before stays.

        ``by``: "unwrap" for one that is wrapped.
        """
        found = self._keys.get((owner, number))
        place = self._room(found, range(SLOTS))
        done = self._run(by, place, (secret,))
        self._put(owner, number, _Key(bytearray(secret), place, by))
        return done

    def generate(self, owner: Hashable, number: int) -> Result:
        """Let the device make a key; if it does not, the one before stays."""
        before = self._keys.get((owner, number))
        fixed = sum(not self._moves(key) for key in self._keys.values() if key is not before)
        if fixed >= SLOTS - 1:
            raise Busy(f"the device has {fixed} keys that it has made, and no slot for another one")
        beside = self._keys.get((owner, number ^ 1))
        first = [beside.place ^ 1] if beside is not None and beside.place is not None else []
        place = self._room(before, [*first, *range(SLOTS)])
        done = self._run("generate", place, ())
        self._put(owner, number, _Key(None, place))
        return done

    def forget(self, owner: Hashable, number: int) -> Result:
        """Forget a key, if there is one."""
        key = self._keys.pop((owner, number), None)
        if key is not None:
            key.wipe()
        if key is None or key.place is None:
            return Result((), 0)
        return self._run("forget", key.place, ())

    def drop(self, owner: Hashable) -> None:
        """Forget every key of an owner."""
        for who, number in [k for k in self._keys if k[0] == owner]:
            self.forget(who, number)

    def lost(self) -> None:
        """The device has lost its keys: those that it had made are gone."""
        self._keys = {k: v for k, v in self._keys.items() if v.secret is not None}
        for key in self._keys.values():
            key.place = None

    def use(self, owner: Hashable, number: int) -> int:
        """Return the slot that a key is in. Raises NoKey; Busy if no slot is free."""
        key = self._find(owner, number)
        return self._place(key, [key.place] if key.place is not None else range(SLOTS))

    def use_pair(self, owner: Hashable, number: int) -> int:
        """Return the slot of a key that has the one of ``number`` XOR 1 in the slot beside."""
        key, beside = self._find(owner, number), self._find(owner, number ^ 1)
        for place in range(SLOTS):
            both = ((key, place), (beside, place ^ 1))
            if all(k.place == p or (self._moves(k) and self._free(p, both)) for k, p in both):
                for k, p in both:
                    self._place(k, [p])
                return place
        raise Busy("no two slots beside each other are free for these keys")

    def _find(self, owner: Hashable, number: int) -> _Key:
        key = self._keys.pop((owner, number), None)
        if key is None:
            raise NoKey("the key slot is empty")
        self._keys[owner, number] = key
        return key

    @staticmethod
    def _moves(key: _Key) -> bool:
        return key.secret is not None

    def _at(self, place: int) -> _Key | None:
        return next((key for key in self._keys.values() if key.place == place), None)

    def _free(self, place: int, own: Iterable[tuple[_Key, int]] = ()) -> bool:
        """Whether a place is empty, or has a key that can be put there again."""
        key = self._at(place)
        return key is None or self._moves(key) or any(key is k and p == place for k, p in own)

    def _room(self, key: _Key | None, places: Iterable[int]) -> int:
        """Return the place of a key, or one that is empty, or the one of the longest unused."""
        if key is not None and key.place is not None:
            return key.place
        free = [p for p in places if self._free(p)]
        for place in free:
            if self._at(place) is None:
                return place
        for other in self._keys.values():
            if other.place in free and other.place is not None:
                place, other.place = other.place, None
                return place
        raise Busy("the key slot that is wanted has a key that was made in the device")

    def _place(self, key: _Key, places: Iterable[int]) -> int:
        """Put a key into one of the places, if it is in none of them; return which."""
        wanted = list(places)
        if key.place in wanted and key.place is not None:
            return key.place
        assert key.secret is not None
        key.place = None
        place = self._room(None, wanted)
        self._run(key.by, place, (bytes(key.secret),))
        key.place = place
        return place

    def _put(self, owner: Hashable, number: int, key: _Key) -> None:
        before = self._keys.pop((owner, number), None)
        if before is not None:
            before.wipe()
        self._keys[owner, number] = key
