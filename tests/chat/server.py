"""A scripted server that plays both interfaces of language models, and misbehaves on request.

    with Server(["good", "429 then good", ...]) as server:
        ... f"http://127.0.0.1:{server.port}" ...

Each question takes the next of the `acts`; the last one is repeated. An act is a function
(handler, number, body) that answers, or a text: what the model says.
"""
import http.server
import json
import threading
import time


class Server:
    def __init__(self, acts, context=None):
        self.acts = acts
        self.seen = []  # (path, headers, body) of each question
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.daemon_threads = True
        if context is not None:
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_address[1]

    def __enter__(self):
        threading.Thread(target=lambda: self.http.serve_forever(0.02), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def _handler(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                number = len(outer.seen)
                outer.seen.append((self.path, dict(self.headers), json.loads(body)))
                self.asked = outer.seen[-1][2]
                act = outer.acts[min(number, len(outer.acts) - 1)]
                try:
                    if isinstance(act, str):
                        say(self, act)
                    else:
                        act(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, *_):
                pass

        return Handler


def begin(handler, status=200, kind="text/event-stream", **headers):
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Connection", "close")
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.close_connection = True


def event(handler, value, name=None):
    text = value if isinstance(value, str) else json.dumps(value)
    head = f"event: {name}\n" if name else ""
    handler.wfile.write(f"{head}data: {text}\n\n".encode())
    handler.wfile.flush()


def is_anthropic(handler):
    return handler.path.endswith("/messages")


def piece(handler, text):
    if is_anthropic(handler):
        event(handler, {"type": "content_block_delta", "index": 0,
                        "delta": {"type": "text_delta", "text": text}}, "content_block_delta")
    else:
        event(handler, {"choices": [{"index": 0, "delta": {"content": text}}]})


def say(handler, text, tokens=(1000, 50), end=True):
    """A whole stream, in pieces of a few letters."""
    begin(handler)
    if is_anthropic(handler):
        event(handler, {"type": "message_start", "message": {"usage": {"input_tokens": tokens[0], "output_tokens": 1}}},
              "message_start")
        event(handler, {"type": "ping"}, "ping")
    for at in range(0, len(text), 7):
        piece(handler, text[at:at + 7])
    if not end:
        return
    if is_anthropic(handler):
        event(handler, {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                        "usage": {"output_tokens": tokens[1]}}, "message_delta")
        event(handler, {"type": "message_stop"}, "message_stop")
    else:
        event(handler, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        event(handler, {"choices": [], "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}})
        event(handler, "[DONE]")


def fail(status, text="busy", **headers):
    def act(handler):
        begin(handler, status, "application/json", **headers)
        handler.wfile.write(json.dumps({"error": {"message": text}}).encode())
    return act


def whole(text):
    """One JSON object, of a server that does not stream."""
    def act(handler):
        begin(handler, 200, "application/json")
        if is_anthropic(handler):
            value = {"content": [{"type": "text", "text": text}], "usage": {"input_tokens": 7, "output_tokens": 8}}
        else:
            value = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                     "usage": {"prompt_tokens": 7, "completion_tokens": 8}}
        handler.wfile.write(json.dumps(value).encode())
    return act


def raw(data, kind="text/html", status=200):
    def act(handler):
        begin(handler, status, kind)
        handler.wfile.write(data)
    return act


def greedy(text, is_late=False):
    """Takes all the tokens that it may; with `is_late` for nothing: the stream ends in an error."""
    def act(handler):
        asked = handler.asked
        tokens = (len(json.dumps(asked)) // 4, asked["max_tokens"])
        if not is_late:
            return say(handler, text, tokens)
        begin(handler)
        event(handler, {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}})
        return event(handler, {"error": "late"})
    return act


def broken(text):
    """A stream that breaks off."""
    return lambda handler: say(handler, text, end=False)


def in_bytes(text):
    """A stream whose first bytes come one by one, after an empty line."""
    def act(handler):
        begin(handler)
        for byte in b"\n\ndata: {}\n\n":
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(0.005)
        piece(handler, text)
        event(handler, "[DONE]")
    return act


def endless(handler):
    begin(handler)
    while True:
        piece(handler, "```\nxcd(8)\n```\n" * 100)


def endless_event(handler):
    begin(handler)
    handler.wfile.write(b"data: ")
    while True:
        handler.wfile.write(b"x" * 65536)


def silent(handler):
    begin(handler)
    piece(handler, "Let me th")
    time.sleep(30)


def redirect(address):
    def act(handler):
        begin(handler, 307, "text/plain", Location=address)
    return act
