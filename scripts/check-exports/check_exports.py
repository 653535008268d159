"""Loads exports with `datasets` and `atif`, and counts lines and images. Usage: check_exports.py FOLDER"""

import base64
import io
import json
import pathlib
import re
import sys
import tempfile

import atif
import datasets
from PIL import Image

datasets.disable_progress_bars()


def image_size(data):
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        return image.size


def embedded(url):
    prefix = "data:image/jpeg;base64,"
    if not url.startswith(prefix):
        raise ValueError("an image is not base64 with its media type")
    return image_size(base64.b64decode(url[len(prefix):], validate=True))


def count_gemini(row):
    count = 0
    for turn in row["contents"]:
        for part in turn["parts"]:
            if part.get("inlineData"):
                image_size(base64.b64decode(part["inlineData"]["data"], validate=True))
                count += 1
    return count


def count_messages(row):
    messages = row["messages"] if "messages" in row else row["input"]["messages"]
    parts = [part for message in messages for part in message["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    for url in urls:
        embedded(url)
    return len(urls)


def count_files(folder, paths):
    for path in paths:
        image_size((folder / path).read_bytes())
    return len(paths)


def placeholders(row):
    texts = [message.get("value", message.get("content")) for message in row.get("conversations", row.get("messages", []))]
    return sum(len(re.findall("<image>", text)) for text in texts)


def count_placeholders(folder, row):
    images = count_files(folder, row["images"])
    if placeholders(row) != images:
        raise ValueError(f"{placeholders(row)} placeholders for {images} images")
    return images


def count_trl(folder, row):
    messages = row["messages"] if "messages" in row else row["prompt"]
    parts = [part for message in messages for part in message["content"] if part["type"] == "image"]
    images = count_files(folder, row["images"])
    if len(parts) != images:
        raise ValueError(f"{len(parts)} image parts for {images} images")
    return images


def count_trajectory(folder, line):
    trajectory = atif.Trajectory.model_validate_json(line)
    parts = [part for step in trajectory.steps if isinstance(step.message, list) for part in step.message]
    return count_files(folder, [part.source.path for part in parts if part.type == "image"])


def check(expected, cache):
    folder = pathlib.Path(expected["folder"])
    file = folder / "train.jsonl"
    lines = file.read_text().splitlines()
    kind = expected["format"]
    if kind == "atif":
        images = sum(count_trajectory(folder, line) for line in lines)
        return len(lines), images
    rows = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=cache)
    if kind in ("swift", "llamafactory", "trl"):
        with_paths = rows.map(lambda row: {"images": [str(folder / path) for path in row["images"]]})
        with_paths.cast_column("images", datasets.Sequence(datasets.Image()))[0]
    counters = {
        "gemini": count_gemini,
        "together": count_messages,
        "fireworks": count_messages,
        "llamafactory": lambda row: count_placeholders(folder, row),
        "swift": lambda row: count_placeholders(folder, row),
        "trl": lambda row: count_trl(folder, row),
        "raw": lambda row: count_files(folder, [row["image"]] if row["image"] else []),
    }
    # The lines themselves: columns of `datasets` fill missing fields.
    return len(rows), sum(counters[kind](json.loads(line)) for line in lines)


def main():
    exports = json.loads((pathlib.Path(sys.argv[1]) / "expected.json").read_text())
    failures = 0
    with tempfile.TemporaryDirectory() as cache:
        for expected in exports:
            name = pathlib.Path(expected["folder"]).name
            try:
                lines, images = check(expected, cache)
                wanted = (expected["lines"], expected["images"])
                problem = None if (lines, images) == wanted else f"expected {wanted}"
            except Exception as error:  # Each export is reported.
                lines, images, problem = 0, 0, f"{type(error).__name__}: {str(error)[:400]}"
            failures += problem is not None
            print(f"{name}: {lines} lines, {images} images{'' if problem is None else ': FAILED: ' + problem}", flush=True)
    print(f"{len(exports)} exports, {failures} failed")
    sys.exit(1 if failures else 0)


main()
