"""`affirm explore --serve`: the page follows its file, and nothing but the page is served."""

import http.client
import pathlib
import re
import signal
import socket
import subprocess

from page_case import SESSION, TRANSPOSED, PageCase


class Served:
    """`affirm explore --serve`, in SESSION.folder, until it is interrupted."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([SESSION.args.affirm, "explore", *map(str, arguments), "--serve"], cwd=SESSION.folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.line = self.process.stdout.readline()
        self.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/: ", self.line).group(1))
        self.url = f"http://127.0.0.1:{self.port}/"

    def get(self, path="/", method="GET", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


class ServedPageTest(PageCase):
    def test_30_the_page_follows_its_file(self):
        file = SESSION.folder / "served.hlo"
        file.write_text(TRANSPOSED)
        served = Served("served.hlo")
        try:
            self.assertIn("affirmed", served.line)
            SESSION.browser.get(served.url)
            self.wait_until_shown()
            self.assertEqual(self.text("#panel-maps h2"), "n")
            first = served.get()
            self.assertEqual(first[0], 200)
            self.assertEqual(served.get("/?again"), first)
            file.write_text(TRANSPOSED.replace("n = ", "another = "))
            SESSION.browser.refresh()
            self.wait_until_shown()
            self.assertEqual(self.text("#panel-maps h2"), "another")
            # A file that cannot be read says why, where the browser looks, and may be mended.
            file.write_text(TRANSPOSED.replace("negate(t)", "negate(u)"))
            status, text = served.get()
            self.assertEqual(status, 500)
            self.assertIn("served.hlo:5:", text)
            file.write_text(TRANSPOSED)
            self.assertEqual(served.get(), first)
        finally:
            status, out, err = served.end()
        self.assertEqual(status, 0)
        self.assertEqual(out.count(served.url), 2)
        self.assertIn("served.hlo:5:", err)

    def test_31_nothing_but_the_page_is_served(self):
        (SESSION.folder / "served.hlo").write_text(TRANSPOSED)
        served = Served("served.hlo", "--no-check")
        try:
            for path in ("/served.hlo", "/../served.hlo", "//", "/etc/passwd", "/index.html", "http://127.0.0.1/", "*"):
                self.assertEqual(served.get(path)[0], 404, path)
            self.assertEqual(served.get(method="POST")[0], 405)
            self.assertEqual(served.get(method="HEAD"), (200, ""))
            # A host name that is not the server's but resolves to it.
            for host, status in (("evil.example", 421), (f"localhost:{served.port}", 200), ("127.0.0.1.evil.example", 421),
                                 ("localhost:80@evil.example", 421), ("127.0.0.1:9", 200)):
                self.assertEqual(served.get(host=host)[0], status, host)
            # A client that sends nothing, or no end of a request, does not block other clients.
            silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(3)]
            silent[0].sendall(b"GET / HT")
            silent[1].sendall(b"x" * 40_000)
            self.assertEqual(served.get()[0], 200)
            self.assertIn(b" 431 ", silent[1].recv(100))
            for connection in silent:
                connection.close()
            # No other machine reaches it.
            self.assertEqual(listening(served.port), {"0100007F"})
            # The port is taken.
            run = subprocess.run([SESSION.args.affirm, "explore", "served.hlo", "--serve", "--port", str(served.port)], cwd=SESSION.folder, text=True, capture_output=True)
            self.assertEqual(run.returncode, 3)
            self.assertIn(f"port {served.port} of 127.0.0.1 cannot be had: Address already in use", run.stderr)
        finally:
            status, _, err = served.end(signal.SIGTERM)
        self.assertEqual((status, err), (0, ""))
        for bad in (["--port", "70000", "--serve"], ["--port", "x", "--serve"], ["--port", "-1", "--serve"], ["--port", "80"], ["--serve", "-o", "x.html"]):
            run = subprocess.run([SESSION.args.affirm, "explore", "served.hlo", *bad], cwd=SESSION.folder, text=True, capture_output=True)
            self.assertEqual((run.returncode, run.stdout), (3, ""), bad)
            self.assertNotEqual(run.stderr, "")


def listening(port):
    """The addresses at which something listens to a port, as Linux lists them."""
    files = [pathlib.Path(name) for name in ("/proc/net/tcp", "/proc/net/tcp6")]
    rows = [line.split() for file in files if file.exists() for line in file.read_text().splitlines()[1:]]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}
