"""Checks JSON documents against the schemas of docs/schemas: the part of JSON Schema that those use.

    problems = Schemas(folder).problems("check", document)     a list of "/place: what is wrong"

A keyword that is not known here is an error, so that no schema says more than is checked.
"""
import json
import pathlib

KEYWORDS = {"$schema", "title", "description", "$defs", "$ref", "anyOf", "type", "const", "enum", "properties",
            "required", "additionalProperties", "items"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool) or isinstance(value, float) and value.is_integer()
    return isinstance(value, TYPES[kind])


class Schemas:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = {}

    def file(self, name):
        if name not in self.files:
            self.files[name] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return self.files[name]

    def names(self):
        return sorted(path.name.removesuffix(".schema.json") for path in self.folder.glob("*.schema.json"))

    def problems(self, name, document):
        """Of a document that a verb printed; an error may stand in place of its result."""
        if isinstance(document, dict) and "error" in document:
            name = "error"
        file = f"{name}.schema.json"
        return self.check(document, self.file(file), file, "")

    def look_up(self, reference, file):
        path, _, place = reference.partition("#")
        file = path or file
        schema = self.file(file)
        for part in place.strip("/").split("/") if place else []:
            schema = schema[part]
        return schema, file

    def check(self, value, schema, file, place):
        unknown = set(schema) - KEYWORDS
        if unknown:
            raise ValueError(f"{file}: unknown keywords {sorted(unknown)}")
        if "$ref" in schema:
            return self.check(value, *self.look_up(schema["$ref"], file), place)
        if "anyOf" in schema:
            tried = [self.check(value, one, file, place) for one in schema["anyOf"]]
            return min(tried, key=len) if all(tried) else []
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(is_of(value, kind) for kind in kinds):
            return [f"{place or '/'}: {json.dumps(value)[:60]} is not of type {' or '.join(kinds)}"]
        if "const" in schema and value != schema["const"]:
            return [f"{place or '/'}: {json.dumps(value)[:60]} is not {json.dumps(schema['const'])}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{place or '/'}: {json.dumps(value)[:60]} is not one of {schema['enum']}"]
        if isinstance(value, dict):
            return self.check_object(value, schema, file, place)
        if isinstance(value, list) and "items" in schema:
            return [problem for i, one in enumerate(value)
                    for problem in self.check(one, schema["items"], file, f"{place}/{i}")]
        return []

    def check_object(self, value, schema, file, place):
        found = [f"{place}/{name} is missing" for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties", True)
        for name, one in value.items():
            below = f"{place}/{name}"
            if name in schema.get("properties", {}):
                found += self.check(one, schema["properties"][name], file, below)
            elif others is False:
                found.append(f"{below} is not in the schema")
            elif isinstance(others, dict):
                found += self.check(one, others, file, below)
        return found
