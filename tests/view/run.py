#!/usr/bin/env python3
"""heddle view, asked by a browser's user and by strangers.

    tests/view/run.py --program build/heddle [--keep FOLDER]

It lists runs, shows files and compares two runs. It answers on 127.0.0.1 alone, to its own host name,
to those who know the token, and reads nothing outside the folder: not by dots, however they are
written, not by links, not by devices. It writes nothing, and survives requests that are none. Where
there is a Chromium, its pages open without an error, and a hostile file cannot read its neighbours.
--keep takes screenshots. Exit code 77 (skipped) where heddle was built without libmicrohttpd.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "html"))
from browser import Browser, find_chromium  # noqa: E402

SKIPPED = 77
HOSTILE = "<script>window.pwned=1<&>'\" x"
SECRET = "what nobody may read"


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, holds, what):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print("FAILED", what)


def report(order, time_us, kernel="gemm"):
    return json.dumps({"kernel": kernel, "gpu": "h200", "answer": "faster", "job": "gemm.toml",
                       "baseline": {"predicted_time_us": 200, "l2": {"hit_rate_pct": 25}},
                       "best": {"formula": order, "verdict": "PROVED", "predicted_speedup": 200 / time_us,
                                "predicted": {"predicted_time_us": time_us}}})


def make_folder(root):
    folder = root / "runs"
    for name, order, time_us in (("one", "group(8)", 150.0), ("two runs", "xcd(8)", 125.0)):
        (folder / name).mkdir(parents=True)
        (folder / name / "report.json").write_text(report(order, time_us))
        (folder / name / "report.html").write_text(f"<!doctype html><title>{name}</title><p>page of {name}")
    (folder / "bad").mkdir()
    (folder / "bad" / "report.json").write_text("{" * 5000)
    (folder / "odd").mkdir()
    (folder / "odd" / "report.json").write_text('{"kernel": 3, "best": [], "baseline": {"l2": 7}}')
    (folder / HOSTILE.replace("/", "")).mkdir()
    (folder / HOSTILE.replace("/", "") / "report.json").write_text(report(HOSTILE, 100.0, HOSTILE))
    (folder / ".hidden").write_text(SECRET)
    (root / "secret.txt").write_text(SECRET)
    (root / "private").mkdir()
    (root / "private" / "secret.txt").write_text(SECRET)
    (folder / "link.txt").symlink_to("../secret.txt")
    (folder / "way").symlink_to("../private")
    (folder / "one" / "up").symlink_to("../..")
    os.mkfifo(folder / "pipe.txt")
    return folder


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "view", str(folder)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        self.port, self.token = (int(match[1]), match[2]) if match else (0, "")

    def ask(self, path, method="GET", host=None, body=None):
        """The status, the headers and the body; `path` is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")

    def raw(self, data):
        """What comes back for bytes that need not be a request."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            answer = b""
            with contextlib.suppress(OSError):  # the server may hang up at any time
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65536):
                    answer += piece
            return answer

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=10)


def check_pages(server, checks):
    base = f"/{server.token}/"
    status, headers, index = server.ask(base)
    checks.expect(status == 200 and "two runs" in index and "group(8)" in index, "the list has the runs")
    checks.expect("window.pwned" in index and "<script>window.pwned" not in index, "names stay text")
    checks.expect(headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer",
                  "headers that keep the token")
    links = re.findall(r'href="(files/[^"]+)"', index)
    checks.expect(SECRET not in index and not any(re.search("link|pipe|hidden|way|up", link) for link in links),
                  "links, pipes and hidden files are not listed")
    checks.expect("files/two%20runs/report.html" in links, "addresses are escaped")
    for link in links:
        checks.expect(server.ask(base + link)[0] == 200, f"{link} leads somewhere")
    status, headers, page = server.ask(base + "files/one/report.html")
    checks.expect(page.endswith("page of one") and "sandbox" in headers["Content-Security-Policy"], "a page, sandboxed")
    checks.expect(server.ask(base + "files/one/report.json")[1]["Content-Type"].startswith("text/plain"), "JSON is text")
    checks.expect("two%20runs" in server.ask(base + "compare?a=one")[2], "what a run can be compared with")
    compared = server.ask(base + "compare?a=one&b=two%20runs")[2]
    checks.expect(all(text in compared for text in ("group(8)", "xcd(8)", "150.0 us", "125.0 us")), "two compared")
    for query in ("a=one&b=none", "a=none", "a=../one", "", "b=one", "a=" + "x" * 5000):
        checks.expect(server.ask(base + "compare?" + query)[0] in (404, 414, 431), f"compare?{query[:20]} is not a page")
    checks.expect(server.ask(base, "HEAD")[2] == "", "HEAD has no body")


def check_strangers(server, checks):
    base = f"/{server.token}/"
    for path in ("/", "/files/one/report.json", "//", f"/{server.token}", f"/{server.token[:-1]}0x/", f"/{'0' * 32}/",
                 f"/{server.token.upper()}x/", f"/x{server.token}/", f"/{server.token[:16]}/", "/%00", "/" + "a" * 9000):
        status, _, body = server.ask(path)
        checks.expect(status in (404, 414, 431) and "report" not in body, f"without the token: {path[:40]}")
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost", f"localhost.:{server.port}",
                 f"127.0.0.1:{server.port}.evil.example", f"[::1]:{server.port}", f"0.0.0.0:{server.port}", " "):
        checks.expect(server.ask(base, host=host)[0] in (400, 403), f"host {host}")
    checks.expect(server.ask(base, host=f"localhost:{server.port}")[0] == 200, "localhost is this machine")
    two = f"GET {base} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n\r\n".encode()
    checks.expect(b"200 OK" not in server.raw(two), "two hosts")
    checks.expect(b"200 OK" not in server.raw(f"GET {base} HTTP/1.0\r\n\r\n".encode()), "no host")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FROB"):
        checks.expect(server.ask(base + "files/one/report.json", method, body=b"x")[0] in (400, 405, 501), method)


def check_paths(server, checks):
    dots = ("..", "%2e%2e", "%2E.", "%252e%252e", "..%2f..", "%c0%ae%c0%ae", "..\\", "....", "one/up", "way", ".")
    for dot in dots:
        for end in ("secret.txt", "private/secret.txt", "runs/.hidden", "../secret.txt", "../../../../etc/passwd"):
            status, _, body = server.ask(f"/{server.token}/files/{dot}/{end}")
            checks.expect(status != 200 and SECRET not in body and "root:" not in body, f"files/{dot}/{end}")
    for path in ("link.txt", "way/secret.txt", "one/up/secret.txt", ".hidden", "pipe.txt", "/etc/passwd", "//etc/passwd",
                 "", "one", "one/", "one//report.json", "./one/report.json", "one/report.json%00.html", "one/../one/report.json",
                 "a/b/c/d/e/f/g/h", "%ff%fe", "one/report.json/"):
        status, _, body = server.ask(f"/{server.token}/files/{path}")
        ends_early = path == "one/report.json%00.html"  # a name ends where its text does
        checks.expect((status != 200 or ends_early) and SECRET not in body and "root:" not in body, f"files/{path}")
    for data in (b"", b"\r\n\r\n", b"GET", b"\x16\x03\x01\x02" * 100, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000,
                 b"GET " + b"/a" * 50000, b"\x00" * 1000, b"POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n"):
        checks.expect(SECRET.encode() not in server.raw(data), "bytes that are not a request")
    checks.expect(server.ask(f"/{server.token}/")[0] == 200, "the server is still there")


def check_listening(server, checks):
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    places = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    own = [place for place in places if place.endswith(f":{server.port:04X}")]
    checks.expect(own == [f"0100007F:{server.port:04X}"], f"listens on 127.0.0.1 alone, not {own}")


def check_browser(server, folder, checks, keep):
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium: pages are not opened")
        return
    (folder / "hostile.html").write_text(
        "<!doctype html><title>x</title><script>fetch('one/report.json').then(r => r.text())"
        ".then(t => document.title = 'read ' + t, () => document.title = 'refused')</script>")
    with Browser(chromium) as browser:
        for name, path in (("index", ""), ("compare", "compare?a=one&b=two%20runs"), ("choice", "compare?a=one")):
            page = browser.open(server.address + path)
            own = [url for url in page.requests if not url.startswith(server.address)]
            checks.expect(not page.errors and not own, f"{name}: {page.errors} {own}")
            checks.expect(page.evaluate("window.pwned") is None, f"{name}: a name runs")
            if keep:
                page.screenshot(f"{keep}/view_{name}.png")
        page = browser.open(server.address + "files/hostile.html")
        title = page.evaluate("new Promise(r => setTimeout(() => r(document.title), 300))")
        checks.expect(title == "refused", f"a hostile page reads its neighbours: {title[:60]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    checks = Checks()
    with tempfile.TemporaryDirectory() as root:
        folder = make_folder(pathlib.Path(root))
        before = sorted(str(path) for path in folder.rglob("*"))
        server = Server(program, folder)
        if not server.port:
            complaint = server.process.stderr.read()
            print(complaint, end="")
            return SKIPPED if "libmicrohttpd" in complaint else 1
        try:
            check_pages(server, checks)
            check_strangers(server, checks)
            check_paths(server, checks)
            check_listening(server, checks)
            checks.expect(sorted(str(path) for path in folder.rglob("*")) == before, "nothing is written")
            check_browser(server, folder, checks, arguments.keep)
        finally:
            code = server.end()
        checks.expect(code == 0, f"Ctrl-C ends it with {code}")
        tokens = set()
        for _ in range(3):
            other = Server(program, folder)
            tokens.add(other.token)
            other.end()
        checks.expect(len(tokens) == 3, "tokens are random")
        done = subprocess.run([program, "view", f"{root}/none"], capture_output=True, text=True, check=False)
        checks.expect(done.returncode == 2 and "not a folder" in done.stderr, "a folder that is not there")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
