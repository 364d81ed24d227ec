"""A headless Chromium, spoken to through two pipes (its DevTools protocol), with the standard library alone.

    with Browser("/usr/bin/chromium") as browser:
        page = browser.open("/tmp/report.html", dark=True)
        page.evaluate("document.title")
        page.screenshot("report.png")
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT_S = 30


def find_chromium():
    """The path of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Page:
    """One open page; events that arrived are kept."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.errors = []  # of the console, and exceptions
        self.requests = []  # addresses

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def on_event(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", "")) for one in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def state(self):
        """How far the page is loaded, and of what kind its address is; nothing while it is replaced."""
        try:
            return self.evaluate("document.readyState + location.protocol")
        except RuntimeError as error:
            if "navigated or closed" not in str(error):
                raise
            return ""

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    def screenshot(self, path, whole=True):
        # What is below the window is laid out, and therefore drawn, only when it comes near.
        self.evaluate("document.querySelectorAll('section').forEach(s => s.style.contentVisibility = 'visible')")
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        self.call("Page.close")


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="heddle-browser-")
        to_browser, self.send_end = os.pipe()
        self.receive_end, from_browser = os.pipe()

        def connect():  # in the child: the browser reads from 3 and writes to 4
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--force-color-profile=srgb", "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.next_id = 0
        self.buffer = b""
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.receive_end], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self.receive_end, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self.next_id += 1
        number = self.next_id
        command = {"id": number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self.send_end, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            message = self.message(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            page = self.pages.get(message.get("sessionId"))
            if page and "method" in message:
                page.on_event(message["method"], message["params"])

    def open(self, path, dark=False, width=1280, height=900):
        """The page of a file or of an http address once it is loaded; `seconds` is how long that took."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        begin = time.monotonic()
        address = path if path.startswith("http://") else "file://" + os.path.abspath(path)
        page.call("Page.navigate", url=address)
        wanted = "complete" + address.split("/", 1)[0]
        while page.state() != wanted:
            if time.monotonic() - begin > TIMEOUT_S:
                raise RuntimeError(f"{path} does not load")
            time.sleep(0.01)
        page.seconds = time.monotonic() - begin
        return page
