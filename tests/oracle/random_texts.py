# Random texts that a test makes again from their numbers, and the sums of their tokens.
# SPDX-License-Identifier: GPL-3.0-or-later
"""tst_tokenizergoldens.cpp has the same generator: change both."""
import zlib

import numpy as np

COUNT, BLOCK = 100_000, 200
MASK = (1 << 64) - 1


class SplitMix:
    """https://prng.di.unimi.it/splitmix64.c"""

    def __init__(self, number):
        self.state = number * 0x2545F4914F6CDD1D & MASK

    def below(self, count):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return (z ^ z >> 31) % count


class RandomTexts:
    def __init__(self, words, marks, special, spaces, known):
        self.words, self.marks, self.special, self.spaces, self.known = words, marks, special, spaces, known
        self.common = [c for c in known if c < 0x3100]

    def _piece(self, rng):
        kind = rng.below(100)
        if kind < 30:
            return self.words[rng.below(len(self.words))]
        if kind < 40:
            return self.marks[rng.below(len(self.marks))]
        if kind < 48:
            return "".join(chr(0x30 + rng.below(10)) for _ in range(1 + rng.below(5)))
        if kind < 56:
            return self.special[rng.below(len(self.special))]
        if kind < 76:
            return "".join(chr(self.common[rng.below(len(self.common))]) for _ in range(1 + rng.below(3)))
        if kind < 86:
            return "".join(chr(self.known[rng.below(len(self.known))]) for _ in range(1 + rng.below(3)))
        return "".join(chr(0x20 + rng.below(95)) for _ in range(1 + rng.below(6)))

    def text(self, number):
        rng = SplitMix(number + 1)
        parts = []
        for _ in range(1 + rng.below(6)):
            parts.append(self._piece(rng))
            parts.append(self.spaces[rng.below(len(self.spaces))])
        return "".join(parts)

    def block(self, number):
        return [self.text(i) for i in range(number * BLOCK, (number + 1) * BLOCK)]


def rows(text, encoding):
    """Number, begin and end of every token, in bytes of the text."""
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    last = len(text)
    return [(i, at[min(b, last)], at[min(e, last)]) for i, (b, e) in zip(encoding.ids, encoding.offsets)]


def sums(tokenizer, texts):
    """CRC-32 of the rows of each block, little-endian int32."""
    result = []
    for number in range(COUNT // BLOCK):
        block = texts.block(number)
        table = [row for text in block for row in rows(text, tokenizer.encode(text))]
        result.append(zlib.crc32(np.array(table, "<i4").tobytes()))
    return np.array(result, np.uint32)
