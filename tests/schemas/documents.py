"""Documents that verbs printed, beside docs/schemas."""
import json
import pathlib

from validate import Schemas

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_SHOWN = 5


def faulty_documents(folder):
    """Of files VERB.ANYTHING, each with what a verb printed; "VERB: what is wrong"."""
    schemas = Schemas(ROOT / "docs/schemas")
    for path in sorted(pathlib.Path(folder).iterdir()):
        verb = path.name.split(".")[0]
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            yield f"{verb} --json printed no JSON: {error}"
            continue
        if isinstance(document, dict) and "error" not in document and verb not in schemas.names():
            yield f"{verb} has no schema"
            continue
        yield from (f"{verb} --json: {problem}" for problem in schemas.problems(verb, document)[:MOST_SHOWN])
