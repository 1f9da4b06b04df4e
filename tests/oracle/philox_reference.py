"""The sandbox's random numbers, written a second time from the papers, to check the program's.

SPDX-License-Identifier: GPL-3.0-or-later

Prints the values that tests/engine/attention/tst_weights.cpp and tst_embedding.cpp hold. Needs only
the standard library. Philox: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC 2011. Counter of a number: (block, use, stream low, stream high), key: the seed, low word first.
"""

import math
import struct

MASK = 0xFFFFFFFF


def philox4x32(counter, key, rounds=10):
    c, k = list(counter), list(key)
    for i in range(rounds):
        if i:
            k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
        high0, low0 = divmod(0xD2511F53 * c[0], 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 1 << 32)
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
    return c


def words(seed, use, stream, count):
    result = []
    block = 0
    while len(result) < count:
        result += philox4x32((block, use, stream & MASK, stream >> 32),
                             (seed & MASK, seed >> 32))
        block += 1
    return result[:count]


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def uniform(seed, stream, fan_in, count):
    """What torch.nn.Linear draws from: U(-1/sqrt(fan_in), 1/sqrt(fan_in))."""
    bound = 1 / math.sqrt(fan_in)
    return [float32((2 * ((w >> 8) / 2**24) - 1) * bound) for w in words(seed, 0, stream, count)]


def normal(seed, use, stream, count):
    drawn = words(seed, use, stream, (count + 3) // 4 * 4)
    result = []
    for first, second in zip(drawn[::2], drawn[1::2]):
        radius = math.sqrt(-2 * math.log((first + 1) / 2**32))
        angle = 2 * math.pi * (second / 2**32)
        result += [radius * math.cos(angle), radius * math.sin(angle)]
    return [float32(v) for v in result[:count]]


def show(name, values):
    print(f"{name}: " + ", ".join(v.hex() for v in values))


if __name__ == "__main__":
    for counter, key in (((0,) * 4, (0,) * 2), ((MASK,) * 4, (MASK,) * 2),
                         ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
                          (0xA4093822, 0x299F31D0))):
        print(" ".join(f"{w:08x}" for w in philox4x32(counter, key)))
    big_seed = 0x0123456789ABCDEF
    for seed in (0, big_seed):
        show(f"wq, seed {seed:#x}, d_model 64, first 6", uniform(seed, 0, 64, 6))
        show(f"wo, seed {seed:#x}, d_model 64, last 2 of 4096", uniform(seed, 6, 64, 4096)[-2:])
        show(f"bv, seed {seed:#x}, d_model 64, first 2", uniform(seed, 5, 64, 2))
        show(f"token 7, seed {seed:#x}, first 6", normal(seed, 1, 7, 6))
        show(f"token 2^40+1, seed {seed:#x}, first 2", normal(seed, 1, 2**40 + 1, 2))
        show(f"padding, seed {seed:#x}, first 2", normal(seed, 2, 0, 2))
