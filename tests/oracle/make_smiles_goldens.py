#!/usr/bin/env python3
# Writes tests/golden/tokenizers/smiles: a small vocabulary of SMILES, and what the `rxnmapper`
# package makes of reactions and of the texts of texts.npz with it.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs requirements-slow.txt, Perl, and texts.npz. Same versions, same numbers.

The arrays of smiles.npz are those of make_tokenizer_goldens.py; the same with `reaction_` in front
are of reactions, which are in `reaction_bytes` and `reaction_lengths`. The package gives no ranges:
they are those of the matches of its own expression, whose pieces are checked to be its tokens.
"""
import collections
import random
import re

import numpy as np
from rxnmapper.smiles_utils import SMI_REGEX_PATTERN
from rxnmapper.tokenization_smiles import SmilesTokenizer

import tokenizer_texts
from make_tokenizer_goldens import OUT, RANDOM, arrays_of, encoded, stored

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
REACTIONS = """
CC(=O)O.OCC>>CC(=O)OCC
CC(C)S.CN(C)C=O.Fc1cccnc1F.O=C([O-])[O-].[K+].[K+]>>CC(C)Sc1ncccc1F
C1COCCO1.CC(C)(C)OC(=O)CONC(=O)NCc1cccc2ccccc12.Cl>>O=C(O)CONC(=O)NCc1cccc2ccccc12
C=CCN=C=S.CNCc1ccc(C#N)cc1.NNC(=O)c1cn2c(n1)CCCC2>>C=CCN1C(C2=CN3CCCCC3=N2)=NN=C1N(C)CC1=CC=C(C#N)C=C1
CC[O-]~[Na+].BrCC.[Na+]~[H-]>>CCOCC
COC(=O)CCBr.O=C[O-]->[K+]>>COC(=O)CCOC(=O)C
[1*:1][CH:2]=[CH2:3].[OH2:4]>>[*:1][CH2:2][CH2:3][OH:4]
N[C@@H](C)C(=O)O.C[C@H](O)F>>C[C@@H](N)C(=O)O[C@H](C)F
F/C=C/F.F\\C=C\\F>>FC(Cl)C(Br)I
OB(O)c1ccccc1.Brc1ccc2[nH]ccc2c1>>c1ccc(-c2ccc3[nH]ccc3c2)cc1
C%10CCCC%10.C%99CC%99>>C1CCCC1
O=[N+]([O-])c1ccoc1.s1cccc1.p1ccccc1>>[13C][2H].[Fe+2].[Si@@H]
C$C.C:C.CC?*.C@C+C>C>>>
>>
""".strip().split("\n")


def reactions(expression, pieces):
    rng = random.Random(4)
    made = list(REACTIONS)
    others = pieces + ["[Xx]", "[", "]", "%1", "%", "A", "l", "r", " ", "\t", "é", "[]", "[ ]", "[é]", "Cl2", "BrB"] + SPECIAL
    for _ in range(120):
        made.append("".join(rng.choice(others) for _ in range(rng.randint(1, 40))))
    return made


class Encoding:
    pass


class Package:
    """The package with the face of `tokenizers`."""

    def __init__(self, path):
        self.package = SmilesTokenizer(str(path))
        self.special = re.compile("(" + "|".join(map(re.escape, SPECIAL)) + ")")

    def offsets(self, text):
        """Of the tokens between [CLS] and [SEP]."""
        at, found = 0, []
        for part in self.special.split(text):
            if part in SPECIAL:
                found.append((at, at + len(part), part))
            else:
                matches = self.package.basic_tokenizer.regex.finditer(part)
                found += [(at + match.start(), at + match.end(), match.group()) for match in matches]
            at += len(part)
        return found

    def encode(self, text, second=None, add_special_tokens=True):
        given = self.package(text, second, add_special_tokens=add_special_tokens)
        encoding = Encoding()
        encoding.ids, encoding.type_ids = given["input_ids"], given["token_type_ids"]
        if second is None:
            found = self.offsets(text)
            assert self.package.tokenize(text) == [piece for _, _, piece in found], text
            around = [(0, 0)] if add_special_tokens else []
            encoding.offsets = around + [(begin, end) for begin, end, _ in found] + around
        return encoding


def main():
    folder = OUT / "smiles"
    folder.mkdir(parents=True, exist_ok=True)
    expression = re.compile(SMI_REGEX_PATTERN)
    counts = collections.Counter(piece for reaction in REACTIONS for piece in expression.findall(reaction))
    pieces = [piece for piece, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))]
    # Some atoms have no piece.
    pieces = [piece for number, piece in enumerate(pieces) if number < 20 or number % 6 != 0]
    lines = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + pieces
    (folder / "vocab.txt").write_text("".join(line + "\n" for line in lines))

    tokenizer = Package(folder / "vocab.txt")
    known = tokenizer_texts.assigned()
    texts = tokenizer_texts.texts(known, RANDOM)
    made = reactions(expression, pieces)
    arrays = arrays_of(tokenizer, texts, known) | stored(made, "reaction_")
    arrays |= encoded([tokenizer.encode(text) for text in made], made, "reaction_")
    np.savez_compressed(OUT / "smiles.npz", **arrays)
    print(len(lines), "pieces,", int(arrays["counts"].sum()), "and", int(arrays["reaction_counts"].sum()), "tokens")


if __name__ == "__main__":
    main()
