"""What mutagen reads in the files whose names come on standard input: one line of JSON for each.

    python3 mutagen_reads.py FOLDER_OF_MUTAGEN < names
"""

import json
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import mutagen  # noqa: E402
from mutagen.id3 import ID3  # noqa: E402
from mutagen.mp4 import MP4Tags  # noqa: E402

ID3_KEYS = {
    "title": ["TIT2"],
    "artist": ["TPE1"],
    "album": ["TALB"],
    "albumartist": ["TPE2"],
    "track": ["TRCK"],
    "disc": ["TPOS"],
    "date": ["TDRC"],
}
MP4_KEYS = {
    "title": ["\xa9nam"],
    "artist": ["\xa9ART"],
    "album": ["\xa9alb"],
    "albumartist": ["aART"],
    "track": ["trkn"],
    "disc": ["disk"],
    "genre": ["\xa9gen"],
    "date": ["\xa9day"],
}
NAMED_KEYS = {
    "title": ["title"],
    "artist": ["artist"],
    "album": ["album"],
    "albumartist": ["albumartist", "album artist", "album_artist"],
    "track": ["tracknumber", "track"],
    "disc": ["discnumber", "disc"],
    "genre": ["genre"],
    "date": ["date", "year"],
}


def text(value):
    return f"{value[0]}/{value[1]}" if isinstance(value, tuple) else str(value)


def tags(known):
    if known is None:
        return {}
    if isinstance(known, ID3):
        said = {name: [text(one) for key in keys for one in getattr(known.get(key), "text", [])] for name, keys in ID3_KEYS.items()}
        said["genre"] = list(known["TCON"].genres) if "TCON" in known else []
        return said
    keys = MP4_KEYS if isinstance(known, MP4Tags) else NAMED_KEYS
    said = {}
    totals = {"track": ["tracktotal", "totaltracks", "trackc"], "disc": ["disctotal", "totaldiscs", "discc"]}
    for name, names in keys.items():
        values = next((known[key] for key in names if key in known), [])
        if not isinstance(values, list):
            values = list(values) if hasattr(values, "__iter__") and not isinstance(values, str) else [values]
        said[name] = [text(one) for one in values]
        if keys is NAMED_KEYS and name in totals and values and "/" not in said[name][0]:
            total = next((known[key] for key in totals[name] if key in known), [""])
            said[name][0] += f"/{total if isinstance(total, str) else list(total)[0]}"
    return said


def read(name):
    try:
        file = mutagen.File(name)
    except Exception as error:  # whatever its parsers raise
        return {"error": type(error).__name__}
    if file is None:
        return {"error": "unknown"}
    said = {name: values for name, values in tags(file.tags).items() if values}
    info = file.info
    said["ms"] = round(getattr(info, "length", 0) * 1000)
    said["rate"] = getattr(info, "sample_rate", 0)
    said["channels"] = int(getattr(info, "channels", 0))
    return said


for line in sys.stdin:
    print(json.dumps(read(pathlib.Path(line.rstrip("\n")))))
