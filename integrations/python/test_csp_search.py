"""Run by tests/integrations/python.test.ts, which starts a csp on the sandbox and sets CSP_URL, CSP_API_KEY and PAGE_URL."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import socket
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Dict, Iterator, Optional
from unittest import mock

import csp_search
from csp_search import CspError


class WithCsp(unittest.TestCase):
    def test_search_finds_as_many_pages_as_were_asked_for(self) -> None:
        found = csp_search.search("tea", max_results=3)
        self.assertEqual(found.query, "tea")
        self.assertTrue(found.backend)
        self.assertIsInstance(found.elapsed_ms, int)
        rows = found.results
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertIn("tea", row.title)
            self.assertTrue(row.url.startswith("https://"))
            self.assertTrue(row.snippet)
            self.assertTrue(row.source)
        self.assertEqual([row.rank for row in rows], [1, 2, 3])

    def test_the_filters_of_the_search_are_passed_on(self) -> None:
        rows = csp_search.search("tea", 2, language="de", country="DE", safesearch="strict", offset=2).results
        self.assertEqual([row.rank for row in rows], [3, 4])
        with self.assertRaisesRegex(CspError, "language"):
            csp_search.search("tea", language="not a language")
        with self.assertRaisesRegex(CspError, "include_domains"):
            asyncio.run(csp_search.search_async("tea", include_domains=["no host"]))

    def test_recent_pages_only(self) -> None:
        rows = csp_search.search("tea", freshness=7).results
        oldest = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 8 * 86_400))
        self.assertTrue(all(row.published_date is None or row.published_date >= oldest for row in rows))

    def test_an_answer_names_its_sources(self) -> None:
        answer = csp_search.ask("What is tea?", effort="fast")
        self.assertIn("[1]", answer.text)
        self.assertTrue(answer.sources[0].url.startswith("https://"))

    def test_a_page_is_read_in_parts(self) -> None:
        page = csp_search.fetch(os.environ["PAGE_URL"], max_characters=20)
        self.assertEqual(page.title, "All about tea")
        self.assertIn(len(page.content), (19, 20))
        self.assertGreater(page.remaining, 0)
        rest = csp_search.fetch(os.environ["PAGE_URL"], offset=20)
        self.assertIn("leaves", page.content + rest.content)
        self.assertEqual(rest.remaining, 0)

    def test_async_calls_run_at_the_same_time(self) -> None:
        async def both() -> None:
            rows, page = await asyncio.gather(
                csp_search.search_async("coffee", 2), csp_search.fetch_async(os.environ["PAGE_URL"], "text")
            )
            self.assertEqual(len(rows.results), 2)
            self.assertIn("leaves", page.content)
            answer = await csp_search.ask_async("What is tea?", "fast")
            self.assertTrue(answer.text)

        asyncio.run(both())

    def test_a_page_that_cannot_be_read_says_why(self) -> None:
        failure = self.failure(lambda: csp_search.fetch("http://169.254.169.254/"))
        self.assertTrue(failure.message)
        self.assertIsInstance(failure, csp_search.PageError)
        self.assertTrue(failure.code.startswith("page_"))

    def test_a_count_that_cannot_be_names_the_field(self) -> None:
        failure = self.failure(lambda: csp_search.search("tea", max_results=0))
        self.assertEqual(failure.code, "invalid_request")
        self.assertIn("count", failure.message)
        self.assertTrue(failure.request_id)
        self.assertEqual(self.failure(lambda: csp_search.search("tea", freshness=0)).code, "invalid_request")
        self.assertEqual(self.failure(lambda: csp_search.ask("tea", effort="quick")).code, "invalid_request")

    def test_a_wrong_key_and_none_say_how_to_set_one(self) -> None:
        failure = self.failure(lambda: csp_search.search("tea", key="wrong-key-of-mine"))
        self.assertEqual((failure.code, failure.status), ("unauthorized", 401))
        with mock.patch.dict(os.environ):
            del os.environ["CSP_API_KEY"]
            self.assertIn("CSP_API_KEY", str(self.failure(lambda: csp_search.ask("tea"))))

    def test_the_terminal_prints_rows_answers_pages_and_json(self) -> None:
        self.assertIn("https://", self.printed("tea", "-n", "2"))
        self.assertEqual(len(json.loads(self.printed("tea", "-n", "2", "--json"))["results"]), 2)
        self.assertIn("[1] https://", self.printed("What is tea?", "--ask", "--effort", "fast"))
        self.assertIn("leaves", self.printed(os.environ["PAGE_URL"], "--fetch"))

    def failure(self, call: object) -> CspError:
        return failure_of(call)

    def printed(self, *arguments: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(csp_search.main(arguments), 0)
        return output.getvalue()


class WithoutCsp(unittest.TestCase):
    def test_where_nothing_listens_it_says_how_to_start_csp(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            failure = failure_of(lambda: csp_search.search("tea", url=url))
        self.assertEqual(failure.code, "unreachable")
        self.assertIn("csp serve", failure.hint)
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(csp_search.main(["tea", "--url", url]), 1)
        self.assertIn("csp serve", errors.getvalue())

    def test_a_limit_that_is_reached_says_when_it_ends(self) -> None:
        body = json.dumps({"error": {"code": "rate_limited", "message": "The limit of today is reached."}})
        with served(429, body, {"Retry-After": "30"}) as url:
            failure = failure_of(lambda: csp_search.search("tea", url=url))
        self.assertEqual((failure.code, failure.retry_after), ("rate_limited", 30))
        self.assertIn("30 seconds", str(failure))

    def test_silence_ends_with_the_timeout(self) -> None:
        with served(200, "{}", wait=True) as url:
            failure = failure_of(lambda: csp_search.search("tea", url=url, timeout=0.2))
        self.assertEqual(failure.code, "timeout")

    def test_another_server_is_told_from_csp(self) -> None:
        with served(200, "<html>A page</html>") as url:
            self.assertIn("not that of a csp", str(failure_of(lambda: csp_search.search("tea", url=url))))
        with served(404, "Not found") as url:
            self.assertIn("address", failure_of(lambda: csp_search.search("tea", url=url)).hint)
        self.assertIn("no address", str(failure_of(lambda: csp_search.search("tea", url="ftp://example.org"))))

    def test_the_key_follows_no_redirect(self) -> None:
        seen: Dict[str, Optional[str]] = {}
        with served(200, "{}", seen=seen) as other, served(307, "", {"Location": other + "/elsewhere"}) as url:
            failure = failure_of(lambda: csp_search.search("tea", url=url, key="a-key-of-mine"))
        self.assertEqual((failure.status, seen), (307, {}))


def failure_of(call: object) -> CspError:
    assert callable(call)
    try:
        call()
    except CspError as error:
        return error
    raise AssertionError("Nothing was raised.")


@contextlib.contextmanager
def served(
    status: int,
    body: str,
    headers: Optional[Dict[str, str]] = None,
    wait: bool = False,
    seen: Optional[Dict[str, Optional[str]]] = None,
) -> Iterator[str]:
    """A server that is no csp, or one that says what a test needs."""
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if seen is not None:
                seen[self.path] = self.headers.get("Authorization")
            if wait:
                done.wait(10)
                return
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        done.set()
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    unittest.main()
