"""The form in which Triton's addresses are kept: small enough for the repository.

A case: {"name", "settings", "tensors": [names], "sites": [[line, kind, element bytes], ...],
         "tiles": [[x, y, z, [[site, tensor, active elements, first, last, hash], ...]], ...],
         "whole": [[tile number, record number, [offsets]], ...]}
`tensor` is an index into tensors, -1 where nothing was active. The hash is over all offsets. The
first few records of a case are there as a whole, too, so that a difference can be looked at.
"""
import hashlib
import itertools

WHOLE_RECORDS = 6
WHOLE_OFFSETS = 128


def digest(offsets):
    text = ",".join(str(offset) for offset in offsets)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def compact(name, settings, records):
    """A case from the records of dense.py's form, ordered by launch id."""
    tensors, sites, tiles, whole = [], [], [], []

    def index(items, item):
        if item not in items:
            items.append(item)
        return items.index(item)

    for tile, group in itertools.groupby(records, key=lambda record: record["tile"]):
        rows = []
        for record in group:
            offsets = record["offsets"]
            site = index(sites, [record["line"], record["kind"], record["element_bytes"]])
            if len(whole) < WHOLE_RECORDS and 0 < len(offsets) <= WHOLE_OFFSETS:
                whole.append([len(tiles), len(rows), offsets])
            if offsets:
                tensor = index(tensors, record["tensor"])
                rows.append([site, tensor, len(offsets), offsets[0], offsets[-1], digest(offsets)])
            else:
                rows.append([site, -1, 0, 0, 0, ""])
        tiles.append([*tile, rows])
    return {"name": name, "settings": settings, "tensors": tensors, "sites": sites,
            "tiles": tiles, "whole": whole}


def text_of(row, case):
    line, kind, size = case["sites"][row[0]]
    if row[2] == 0:
        # A log of the GPU does not say which tensor, or of what size, where nothing was touched.
        return f"line {line}: {kind}, nothing active"
    return (f"line {line}: {kind} of {case['tensors'][row[1]]}, {size} B, {row[2]} elements from "
            f"{row[3]} to {row[4]}, hash {row[5]}")


def first_difference(recorded, records):
    """Nothing if the records are those of the case, else what differs first."""
    actual = compact(recorded["name"], recorded["settings"], records)
    for number in range(max(len(recorded["tiles"]), len(actual["tiles"]))):
        if number >= len(recorded["tiles"]) or number >= len(actual["tiles"]):
            return f"{len(actual['tiles'])} tiles, Triton has {len(recorded['tiles'])}"
        want, have = recorded["tiles"][number], actual["tiles"][number]
        if want[:3] != have[:3]:
            return f"tile {have[:3]} where Triton has tile {want[:3]}"
        for i in range(max(len(want[3]), len(have[3]))):
            a = text_of(want[3][i], recorded) if i < len(want[3]) else "nothing"
            b = text_of(have[3][i], actual) if i < len(have[3]) else "nothing"
            if a != b:
                return f"tile {want[:3]}, record {i}\n    Triton: {a}\n    here:   {b}"
    for tile, row, offsets in recorded["whole"]:
        group = [r for r in records if r["tile"] == recorded["tiles"][tile][:3]]
        if group[row]["offsets"] != offsets:
            return f"tile {recorded['tiles'][tile][:3]}, record {row}: offsets differ"
    return None
