"""The hash that Spark calls xxhash64, of a text: XXH64 of its UTF-8 bytes with the seed 42.

Written from the specification of xxHash, to check which unit a query falls into.
"""

from __future__ import annotations

_WHOLE = 2**64
_P1 = 0x9E3779B185EBCA87
_P2 = 0xC2B2AE3D27D4EB4F
_P3 = 0x165667B19E3779F9
_P4 = 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5


def xxhash64(text: str, seed: int = 42) -> int:
    """Return the hash, a signed number of 64 bits."""
    data = text.encode()
    n, at = len(data), 0
    if n >= 32:
        lanes = [seed + _P1 + _P2, seed + _P2, seed, seed - _P1]
        while at + 32 <= n:
            for place in range(4):
                lanes[place] = _round(lanes[place], _word(data, at + 8 * place, 8))
            at += 32
        found = sum(_turned(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            found = ((found ^ _round(0, lane)) * _P1 + _P4) % _WHOLE
    else:
        found = (seed + _P5) % _WHOLE
    found = (found + n) % _WHOLE
    while at + 8 <= n:
        found = (_turned(found ^ _round(0, _word(data, at, 8)), 27) * _P1 + _P4) % _WHOLE
        at += 8
    if at + 4 <= n:
        found = (_turned(found ^ (_word(data, at, 4) * _P1 % _WHOLE), 23) * _P2 + _P3) % _WHOLE
        at += 4
    for byte in data[at:]:
        found = _turned(found ^ (byte * _P5 % _WHOLE), 11) * _P1 % _WHOLE
    found = (found ^ found >> 33) * _P2 % _WHOLE
    found = (found ^ found >> 29) * _P3 % _WHOLE
    found ^= found >> 32
    return found - _WHOLE if found >= _WHOLE // 2 else found


def _round(lane: int, word: int) -> int:
    return _turned((lane + word * _P2) % _WHOLE, 31) * _P1 % _WHOLE


def _turned(lane: int, by: int) -> int:
    lane %= _WHOLE
    return (lane << by | lane >> (64 - by)) % _WHOLE


def _word(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")
