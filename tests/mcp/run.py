#!/usr/bin/env python3
"""heddle mcp, as a client sees it: both eras of the protocol, every tool, and hostile input.

    tests/mcp/run.py --program build/heddle
"""
import argparse
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

from small_job import JOB, KERNEL

MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
TOOLS = ["analyze", "audit_answer", "audit_patch", "check", "explain", "optimize", "simulate", "trace"]
PATIENCE_S = 60


class Failures(list):
    def expect(self, good, text):
        if not good:
            self.append(text)
            print(f"FAILED {text}", file=sys.stderr)


class Client:
    """One server process; every line that it writes has to be JSON."""

    def __init__(self, program, arguments=(), cwd=None):
        self.process = subprocess.Popen([program, "mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)
        self.lines = queue.Queue()
        self.seen = []
        self.roots = None
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.errors = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def receive(self):
        """The next message; a question for roots is answered on the way."""
        while True:
            message = self.lines.get(timeout=PATIENCE_S)
            if message is None:
                raise EOFError("the server has ended")
            self.seen.append(message)
            if message.get("method") == "roots/list" and self.roots is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": self.roots}})
                continue
            return message

    def answer(self, wanted):
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == wanted:
                return message

    def request(self, method, params=None):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.next_id

    def ask(self, method, params=None):
        return self.answer(self.request(method, params))

    def initialize(self, version="2025-11-25", capabilities=None):
        answer = self.ask("initialize", {"protocolVersion": version,
                                         "capabilities": capabilities or {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE_S)


def meta(version=MODERN, capabilities=None, **more):
    return {VERSION_KEY: version, CAPABILITIES_KEY: capabilities or {}, **more}


def versions(program, folder, failures):
    for asked, given in [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"),
                         ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-11-25"),
                         ("1999-01-01", "2025-11-25"), (MODERN, "2025-11-25")]:
        client = Client(program, ["--root", folder])
        result = client.initialize(asked)["result"]
        failures.expect(result["protocolVersion"] == given, f"{asked}: {result}")
        failures.expect(result["serverInfo"]["name"] == "heddle", "serverInfo")
        failures.expect(client.end() == 0, f"{asked}: the end")


def session(client, folder, failures):
    """Every method and every tool of a session."""
    expect = failures.expect
    expect(client.ask("ping")["result"] == {}, "ping")
    tools = client.ask("tools/list")["result"]["tools"]
    expect(sorted(tool["name"] for tool in tools) == TOOLS, "tools/list")
    for tool in tools:
        schema = tool["inputSchema"]
        expect(schema["type"] == "object" and schema["additionalProperties"] is False, tool["name"])
        expect(all("description" in one for one in schema["properties"].values()), tool["name"])
        expect(tool["annotations"]["readOnlyHint"] == (tool["name"] != "optimize"), tool["name"])

    good = client.call("check", order="xcd(8)", grid="64x64")
    expect(not good["isError"] and good["structuredContent"]["result"]["verdict"] == "PROVED", good)
    expect(json.loads(good["content"][0]["text"]) == good["structuredContent"], "the text")
    bad = client.call("check", order="p0 // 2", grid="64")
    expect(not bad["isError"] and bad["structuredContent"]["exit_code"] == 1, bad)
    expect(bad["structuredContent"]["result"]["counterexample"] is not None, bad)
    file = client.call("check", file="add.toml")
    expect(file["structuredContent"]["result"] is not None and not file["isError"], file)

    simulated = client.call("simulate", job="add.toml", gpu="mi300x", order="xcd(8) | columns")
    expect(simulated["structuredContent"]["exit_code"] == 0, simulated)
    expect(simulated["structuredContent"]["result"]["predicted_time_us"] > 0, simulated)
    traced = client.call("trace", job=str(folder / "add.toml"))
    expect(traced["structuredContent"]["exit_code"] == 0, traced)
    explained = client.call("explain", id="same-work")
    expect(len(explained["structuredContent"]["result"]["checks"]) == 1, explained)
    audited = client.call("audit_patch", before="add.py", after="changed.py", job="add.toml")
    expect(audited["structuredContent"]["exit_code"] == 1 and not audited["isError"], audited)

    diff = "--- a/add.py\n+++ b/add.py\n@@ -10,2 +10,2 @@\n" + "".join(
        sign + line + "\n" for sign, line in [
            (" ", KERNEL.splitlines()[9]), ("-", KERNEL.splitlines()[10]),
            ("+", KERNEL.splitlines()[10].replace("x + 1", "x + 3"))])
    audited = client.call("audit_patch", before="add.py", diff=diff, job="add.toml")
    expect(audited["structuredContent"]["exit_code"] == 1 and not audited["isError"], audited)
    audited = client.call("audit_answer", text=f"Faster:\n\n```diff\n{diff}```\n\n```\nxcd(8)\n```\n", job="add.toml")
    expect(audited["structuredContent"]["result"]["changes"][0]["verdict"] == "REFUTED", audited)
    expect(audited["structuredContent"]["result"]["formulas"]["proved"] == 1, audited)

    before = sorted(folder.rglob("*"))
    found = client.call("optimize", job="add.toml", gpu="mi300x", effort="low", iterations=6,
                        proposals="xcd(8)\n\np0 // 2\n")
    expect(found["structuredContent"]["exit_code"] == 0, found)
    expect(found["structuredContent"]["result"]["answer"], found)
    expect(sorted(folder.rglob("*")) == before, "optimize without output wrote a file")
    found = client.call("optimize", job="add.toml", gpu="mi300x", effort="low", iterations=4,
                        output="made/here")
    expect((folder / "made/here/report.json").is_file(), found)
    whole = found["structuredContent"]["report"]
    if whole is not None:
        text = client.ask("resources/read", {"uri": whole})["result"]["contents"][0]["text"]
        expect("iterations" in json.loads(text), "a report")


def resources(client, failures):
    expect = failures.expect
    listed = client.ask("resources/list")["result"]["resources"]
    names = [resource["uri"] for resource in listed]
    for uri in ["heddle://gpus", "heddle://families", "heddle://checks", "heddle://gpus/mi300x"]:
        expect(uri in names, f"{uri} is not listed")
        text = client.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
        expect(isinstance(json.loads(text), dict), uri)
    templates = client.ask("resources/templates/list")["result"]["resourceTemplates"]
    expect(len(templates) == 2, "templates")
    for uri in ["heddle://gpus/../../etc/passwd", "file:///etc/passwd", "heddle://reports/99", 7]:
        error = client.ask("resources/read", {"uri": uri}).get("error", {})
        expect(error.get("code") == -32002, f"{uri}: {error}")


def wrong_arguments(client, failures):
    for name, arguments, words in [
            ("check", {}, "exactly one of"), ("check", {"order": 7, "grid": "8"}, "'order'"),
            ("check", {"order": "xcd(8)", "file": "add.toml"}, "exactly one of"),
            ("check", {"ordr": "xcd(8)"}, "did you mean 'order'"),
            ("check", {"order": "xcd(8)", "axes": 9}, "'axes'"),
            ("check", {"order": "xcd(8)", "axes": 10 ** 30}, "'axes'"),
            ("check", {"order": "xcd(8)", "grid": "8 --write-table=/tmp/heddle_mcp_escape"}, "grid"),
            ("check", {"order": "xcd(8)", "let": "M=1"}, "'let'"),
            ("simulate", {"gpu": "mi300x"}, "'job' is missing"),
            ("simulate", {"job": "none.toml", "gpu": "mi300x"}, "does not exist"),
            ("simulate", {"job": "add.toml", "gpu": "mi9000"}, "mi9000"),
            ("optimize", {"job": "add.toml", "gpu": "mi300x", "effort": "most"}, "'effort'"),
            ("explain", {"id": "--help"}, "'id'"), ("explain", {"id": "same-wrk"}, "same-work"),
            ("trace", {"job": "a\0b"}, "null byte")]:
        result = client.call(name, **arguments)
        said = " ".join(result["structuredContent"]["messages"])
        failures.expect(result["isError"] and words in said, f"{name} {arguments}: {said}")
    for params, code in [({"name": "nothing"}, -32602), ({}, -32602), ({"name": 7}, -32602),
                         ({"name": "check", "arguments": []}, -32602)]:
        error = client.ask("tools/call", params)["error"]
        failures.expect(error["code"] == code, f"{params}: {error}")


def escapes(client, folder, failures):
    """No file outside the roots is read or written, whatever names it."""
    outside = folder.parent / "outside"
    (folder / "link.py").symlink_to(outside / "secret.py")
    (folder / "link").symlink_to(outside)
    (folder / "dangling").symlink_to(outside / "made")
    (folder / "broken.toml").write_text("kernel = 'add.py'\n")
    (folder / "sneaky.toml").write_text(JOB.replace("add.py", "../outside/secret.py"))
    (folder / "linked.toml").write_text(JOB.replace("add.py", "link.py"))
    for arguments in [{"job": "../outside/add.toml"}, {"job": str(outside / "add.toml")},
                      {"job": "link/add.toml"}, {"job": "/etc/passwd"},
                      {"job": "sub/../../outside/add.toml"}]:
        result = client.call("trace", **arguments)
        said = " ".join(result["structuredContent"]["messages"])
        failures.expect(result["isError"] and "not in the roots" in said, f"{arguments}: {said}")
    for job in ["sneaky.toml", "linked.toml"]:
        result = client.call("trace", job=job)
        failures.expect(result["isError"] and "secret_kernel" not in json.dumps(result), f"{job}: {result}")
    for output in ["../outside/made", "link/made", "dangling", "/tmp/heddle_mcp_escape",
                   "new/../../outside/made", "dangling/deeper"]:
        result = client.call("optimize", job="add.toml", gpu="mi300x", output=output)
        said = " ".join(result["structuredContent"]["messages"])
        failures.expect(result["isError"] and "not in the roots" in said, f"{output}: {said}")
    # A link in place of the patch, and a patch that an earlier call left: neither is this call's.
    for name in ["led", "left"]:
        (folder / name).mkdir()
    (folder / "led/kernel.patch").symlink_to(outside / "secret.py")
    (folder / "left/kernel.patch").write_text("an older patch\n")
    for name in ["led", "left"]:
        result = client.call("optimize", job="broken.toml", gpu="mi300x", output=name)
        failures.expect(result["structuredContent"]["patch"] is None, f"{name}: {result}")
    gpu = client.call("simulate", job="add.toml", gpu="../outside/gpu.toml")
    failures.expect("not in the roots" in " ".join(gpu["structuredContent"]["messages"]), gpu)
    failures.expect(not (outside / "made").exists(), "something was written outside")


def hostile(program, folder, failures):
    """Any bytes: an error, and the server goes on."""
    client = Client(program, ["--root", str(folder)])
    client.initialize()
    deep = b"[" * 100000 + b"]" * 100000
    for data, code in [
            (b"nonsense", -32700), (b"\xff\xfe{}", -32700), (b'{"jsonrpc": "2.0", "id": 1', -32700),
            (b'{"a": "\xc3\x28"}', -32700), (deep, -32700), (b'{"a":' * 5000 + b"1" + b"}" * 5000, -32700),
            (b"[]", -32600), (b"7", -32600), (b'"x"', -32600), (b"{}", -32600),
            (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
            (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 1}', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
            (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 1' + b"0" * 400 + b', "method": "ping"}', -32700),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', -32601),
            (b'{"jsonrpc": "2.0", "id": 1, "method": ""}', -32601),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}', -32600),
            (b"x" * ((8 << 20) + 5), -32700)]:
        client.raw(data + b"\n")
        answer = client.receive()
        failures.expect(answer.get("error", {}).get("code") == code, f"{data[:80]}: {answer}")
    for data in [b"", b"   ", b'{"jsonrpc": "2.0", "method": "notifications/unknown"}',
                 b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}',
                 b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
                 b'{"jsonrpc": "2.0", "method": "tools/list", "params": 3}',
                 b'{"jsonrpc": "2.0", "id": "roots-1", "result": {"roots": 7}}',
                 b'{"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}}']:
        client.raw(data + b"\n")
    for number in ["a string", 0, -3, 2 ** 63, ""]:
        client.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
        answer = client.receive()
        failures.expect(answer == {"jsonrpc": "2.0", "id": number, "result": {}}, f"id {number}: {answer}")
    failures.expect(client.end() == 0, "the end after hostile input")

    unready = Client(program, ["--root", str(folder)])
    failures.expect(unready.ask("tools/list")["error"]["code"] == -32600, "before initialize")
    failures.expect(unready.ask("initialize", {})["error"]["code"] == -32602, "no version")
    failures.expect(unready.ask("ping")["result"] == {}, "ping before initialize")
    unready.end()


def modern(program, folder, failures):
    """Requests that carry their version, without a session."""
    expect = failures.expect
    client = Client(program, ["--root", str(folder)])
    found = client.ask("server/discover", {"_meta": meta()})["result"]
    expect(found["supportedVersions"][0] == MODERN and found["resultType"] == "complete", found)
    expect(found["ttlMs"] >= 0 and found["cacheScope"] in ("public", "private"), found)
    listed = client.ask("tools/list", {"_meta": meta()})["result"]
    expect(listed["resultType"] == "complete" and len(listed["tools"]) == len(TOOLS), "tools/list")
    expect(listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "heddle", "serverInfo")
    called = client.ask("tools/call", {"_meta": meta(), "name": "check",
                                       "arguments": {"order": "xcd(8)", "grid": "64"}})["result"]
    expect(called["resultType"] == "complete" and not called["isError"], called)
    error = client.ask("tools/list", {"_meta": meta("1900-01-01")})["error"]
    expect(error["code"] == -32022 and MODERN in error["data"]["supported"], error)
    error = client.ask("tools/list", {"_meta": {VERSION_KEY: MODERN}})["error"]
    expect(error["code"] == -32602, error)
    expect(client.ask("server/discover")["error"]["code"] == -32602, "discover without _meta")
    expect(client.ask("ping", {"_meta": meta()})["error"]["code"] == -32601, "ping is gone")
    error = client.ask("resources/read", {"_meta": meta(), "uri": "heddle://no"})["error"]
    expect(error["code"] == -32602, error)
    client.end()

    # Roots by an input request: asked for when a path is outside those of --root.
    client = Client(program)
    params = {"_meta": meta(capabilities={"roots": {}}), "name": "trace",
              "arguments": {"job": str(folder / "add.toml")}}
    asked = client.ask("tools/call", params)["result"]
    expect(asked["resultType"] == "input_required", asked)
    expect(asked["inputRequests"]["roots"]["method"] == "roots/list", asked)
    params["inputResponses"] = {"roots": {"roots": [{"uri": folder.as_uri()}]}}
    done = client.ask("tools/call", params)["result"]
    expect(done["resultType"] == "complete" and done["structuredContent"]["exit_code"] == 0, done)
    params["inputResponses"] = {"roots": {"roots": []}}
    done = client.ask("tools/call", params)["result"]
    expect(done["resultType"] == "complete" and done["isError"], done)
    client.end()


def client_roots(program, folder, failures):
    """Roots that the client of a session names, and their change."""
    client = Client(program)
    client.roots = [{"uri": folder.as_uri()}, {"uri": "https://example.com"}, {"uri": 3}, 7]
    client.initialize(capabilities={"roots": {"listChanged": True}})
    failures.expect(not client.call("trace", job="add.toml")["isError"], "a file in the client's root")
    client.roots = [{"uri": (folder.parent / "other%20one").as_uri().replace("%2520", "%20")}]
    client.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    client.ask("ping")  # the question for roots comes before its answer
    failures.expect(client.call("trace", job=str(folder / "add.toml"))["isError"], "after the roots changed")
    failures.expect(not client.call("trace", job="add.toml")["isError"], "a root with a blank in its name")
    client.end()

    client = Client(program, cwd=folder)  # nobody names a root: the working directory is one
    client.initialize()
    failures.expect(not client.call("trace", job="add.toml")["isError"], "the working directory")
    failures.expect(client.call("trace", job="../other one/add.toml")["isError"], "outside it")
    client.end()


def running(program):
    """Numbers of the processes that a server has started."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()
            and parent_of(int(name)) == program]


def parent_of(number):
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return None
    return int(text.rpartition(")")[2].split()[1])


def comes_true(question, seconds=20):
    """Whether it does, within that time."""
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def cancel_and_progress(program, folder, failures):
    client = Client(program, ["--root", str(folder), "--time", "30"])
    client.initialize()
    long = {"name": "optimize", "_meta": {"progressToken": "token"},
            "arguments": {"job": "large.toml", "gpu": "mi300x", "effort": "high"}}
    number = client.request("tools/call", long)
    message = client.receive()
    failures.expect(message.get("method") == "notifications/progress" and
                    message["params"]["progressToken"] == "token", message)
    client.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
    failures.expect(client.answer(number)["error"]["code"] == -32600, "an id in flight")
    # The first progress may be told before the call's process is there.
    failures.expect(comes_true(lambda: running(client.process.pid)), "no process for the call")
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": number, "reason": "test"}})
    begin = time.monotonic()
    while running(client.process.pid) and time.monotonic() - begin < 10:
        time.sleep(0.02)
    failures.expect(not running(client.process.pid), "a cancelled call runs on")
    failures.expect(client.ask("ping")["result"] == {}, "after a cancellation")
    steps = [one["params"]["progress"] for one in client.seen
             if one.get("method") == "notifications/progress"]
    failures.expect(steps == sorted(set(steps)), f"progress does not rise: {steps}")
    failures.expect(not any(one.get("id") == number and "result" in one for one in client.seen),
                    "a cancelled call was answered")
    # A client that goes away while a call runs: it ends within seconds, and its children too.
    client.request("tools/call", {"name": "optimize", "arguments": long["arguments"]})
    begin = time.monotonic()
    while not running(client.process.pid) and time.monotonic() - begin < 10:
        time.sleep(0.02)
    children = running(client.process.pid)
    failures.expect(client.end() == 0, "the end during a call")
    time.sleep(0.1)
    failures.expect(not any(parent_of(child) is not None for child in children), "a call outlives the server")

    client = Client(program, ["--root", str(folder), "--time", "1"])
    client.initialize()
    result = client.call("optimize", job="large.toml", gpu="mi300x", effort="high")
    failures.expect(result["isError"] and "1 s" in result["structuredContent"]["meaning"], result)
    client.process.terminate()
    failures.expect(client.process.wait(timeout=PATIENCE_S) == 0, "SIGTERM")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    failures = Failures()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve() / "root"
        for name in ["root/sub", "outside", "other one"]:
            (folder.parent / name).mkdir(parents=True)
        for where in [folder, folder.parent / "outside", folder.parent / "other one"]:
            (where / "add.py").write_text(KERNEL)
            (where / "add.toml").write_text(JOB)
        (folder.parent / "outside/secret.py").write_text(KERNEL.replace("add_kernel", "secret_kernel"))
        (folder.parent / "outside/gpu.toml").write_text("name = 'secret'\n")
        (folder / "changed.py").write_text(KERNEL.replace("x + 1", "x + 2"))
        (folder / "large.toml").write_text(JOB.replace("= 256", "= 32768"))
        versions(program, str(folder), failures)
        client = Client(program, ["--root", str(folder)])
        client.initialize()
        session(client, folder, failures)
        resources(client, failures)
        wrong_arguments(client, failures)
        escapes(client, folder, failures)
        failures.expect(client.end() == 0, "the end of a session")
        hostile(program, folder, failures)
        modern(program, folder, failures)
        client_roots(program, folder, failures)
        cancel_and_progress(program, folder, failures)
    print(f"mcp: {'failed' if failures else 'passed'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
