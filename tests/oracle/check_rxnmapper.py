#!/usr/bin/env python3
# Compares what heedmap computes from RXNMapper with the `rxnmapper` package: tokens, attention, mapping.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: check_rxnmapper.py HEEDMAP [MODEL]

Needs requirements-slow.txt. MODEL is a folder or a name that `heedmap models` lists (RXNMapper). The
maps of all layers and heads must be within 1e-5 of the package's model in float32 with eager attention. For every
reaction, the strongest reactant atom of each product atom in layer 10, head 5 must be that of the package's
attention; where the published mapping is that too, it is given below and must come out.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from rxnmapper import RXNMapper
from rxnmapper.attention import AttentionScorer

LAYER, HEAD = 10, 5
# Reaction, and its published mapping (the first example of the package) or one that is plain to see.
REACTIONS = [
    ("CC(C)S.CN(C)C=O.Fc1cccnc1F.O=C([O-])[O-].[K+].[K+]>>CC(C)Sc1ncccc1F",
     "[CH3:1][CH:2]([CH3:3])[SH:4].CN(C)C=O.[F:11][c:10]1[cH:9][cH:8][cH:7][n:6][c:5]1F.O=C([O-])[O-].[K+].[K+]"
     ">>[CH3:1][CH:2]([CH3:3])[S:4][c:5]1[n:6][cH:7][cH:8][cH:9][c:10]1[F:11]"),
    ("CC(=O)Cl.NCc1ccccc1>>CC(=O)NCc1ccccc1", None),
    ("C1COCCO1.CC(C)(C)OC(=O)CONC(=O)NCc1cccc2ccccc12.Cl>>O=C(O)CONC(=O)NCc1cccc2ccccc12", None),
    ("CC[O-]~[Na+].BrCC.[Na+]~[H-]>>CCOCC", None),
]


def atoms(tokens):
    """Places of the tokens that are atoms."""
    return [i for i, token in enumerate(tokens) if re.fullmatch(r"\[[^\]]+\]|Br|Cl|[BCNOSPFIbcnosp]", token)
            and token not in ("[CLS]", "[SEP]")]


def mapping_of(mapped):
    """Of each product atom, the number of the reactant atom with its label."""
    before, after = ([re.search(r":(\d+)\]", token) for token in re.findall(r"\[[^\]]+\]|Br|Cl|[BCNOSPFIbcnosp]", side)]
                     for side in mapped.split(">>"))
    place = {match.group(1): i for i, match in enumerate(before) if match}
    return [place[match.group(1)] for match in after]


def strongest(tokens, weights):
    """Of each product atom, the number of the reactant atom that its row is strongest at."""
    arrow = tokens.index(">>")
    reactants = [i for i in atoms(tokens) if i < arrow]
    products = [i for i in atoms(tokens) if i > arrow]
    return weights[np.ix_(products, reactants)].argmax(axis=1).tolist()


def main():
    heedmap, model = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "RXNMapper"
    package = RXNMapper()
    for reaction, published in REACTIONS:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "map.npz"
            subprocess.run([heedmap, "compute", "--model", model, "--text", reaction, "--what", "tokens,weights",
                            "-o", out], check=True)
            arrays = np.load(out)
            tokens, weights = arrays["tokens"][0].tolist(), arrays["weights"]
        weights = weights.reshape(12, 8, len(tokens), len(tokens))
        assert tokens == package.tokenize_for_model(reaction), reaction
        difference = max(np.abs(weights[layer, head] - package.convert_batch_to_attns(
            [reaction], force_layer=layer, force_head=head)[0].numpy()).max() for layer in range(12) for head in range(8))
        assert difference < 1e-5, (reaction, difference)
        given = strongest(tokens, weights[LAYER, HEAD])
        attention = package.convert_batch_to_attns([reaction])[0].numpy()
        scorer = AttentionScorer(reaction, tokens, attention)
        assert given == scorer.pxr_filt_atoms.argmax(axis=1).tolist(), reaction
        if published is not None:
            assert given == mapping_of(published), reaction
        whole = scorer.generate_attention_guided_pxr_atom_mapping()["pxr_mapping_vector"]
        same = sum(a == b for a, b in zip(given, whole))
        print(f"{reaction}: within {difference:.1e}; {same} of {len(given)} atoms as the package maps them")


if __name__ == "__main__":
    main()
