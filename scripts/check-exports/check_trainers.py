"""Loads exports with the loader of one trainer. Usage: check_trainers.py FOLDER llamafactory|swift|trl"""

import json
import pathlib
import sys


def check_llamafactory(folder):
    from llamafactory.data.loader import _load_single_dataset
    from llamafactory.data.parser import get_dataset_list
    from llamafactory.hparams import DataArguments, ModelArguments
    from transformers import Seq2SeqTrainingArguments

    (dataset,) = get_dataset_list(["train"], str(folder))
    arguments = DataArguments(dataset="train", dataset_dir=str(folder), media_dir=str(folder))
    training = Seq2SeqTrainingArguments(output_dir=str(folder / "out"))
    rows = _load_single_dataset(dataset, ModelArguments(model_name_or_path="none"), arguments, training)
    image_count = 0
    for row in rows:
        images = row["_images"] or []
        turns = row["_prompt"] + row["_response"]
        if sum(turn["content"].count("<image>") for turn in turns) != len(images) or not row["_response"]:
            raise ValueError("the placeholders and the images differ, or there is no answer")
        image_count += len(images)
    return len(rows), image_count


def check_swift(folder):
    import os

    os.environ["ROOT_IMAGE_DIR"] = str(folder)
    from swift.dataset import load_dataset

    rows, _ = load_dataset([str(folder / "train.jsonl")], strict=True)
    return len(rows), sum(len(row["images"] or []) for row in rows)


def check_trl(folder):
    import datasets
    from trl.data_utils import prepare_multimodal_messages

    rows = datasets.load_dataset("json", data_files=str(folder / "train.jsonl"), split="train")
    rows = rows.map(lambda row: {"images": [str(folder / path) for path in row["images"]]})
    rows = rows.cast_column("images", datasets.Sequence(datasets.Image()))
    image_count = 0
    for row in rows:
        messages = row["messages"] if "messages" in row else row["prompt"]
        prepare_multimodal_messages(messages, images=row["images"])
        image_count += len(row["images"])
    return len(rows), image_count


def main():
    trainer = sys.argv[2]
    check = {"llamafactory": check_llamafactory, "swift": check_swift, "trl": check_trl}[trainer]
    exports = json.loads((pathlib.Path(sys.argv[1]) / "expected.json").read_text())
    failures = 0
    for expected in (one for one in exports if one["format"] == trainer):
        folder = pathlib.Path(expected["folder"])
        try:
            found = check(folder)
            wanted = (expected["lines"], expected["images"])
            problem = None if found == wanted else f"expected {wanted}, found {found}"
        except Exception as error:  # Each export is reported.
            problem = f"{type(error).__name__}: {str(error)[:400]}"
        failures += problem is not None
        print(f"{folder.name}: {'loaded' if problem is None else 'FAILED: ' + problem}", flush=True)
    sys.exit(1 if failures else 0)


main()
