"""Search the web, ask it and read its pages through a claude-search-proxy (csp), with the standard library alone.

    import csp_search

    found = csp_search.search("heat pumps in the cold", max_results=3, freshness="year")
    for row in found.results:
        print(row.title, row.url, row.snippet)

    answer = csp_search.ask("Do heat pumps work in the cold?")
    page = csp_search.fetch("https://example.org/article")

In a terminal: python -m csp_search "heat pumps in the cold". The address is CSP_URL (http://127.0.0.1:52480), the key
CSP_API_KEY, where csp has keys. Every failure raises a CspError, whose text says what to do. The module
does not retry; csp already retries temporary failures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

__all__ = ["Answer", "CspError", "Page", "PageError", "Result", "SearchResults", "ask", "ask_async", "fetch", "fetch_async", "search", "search_async"]
__version__ = "0.1.0"

DEFAULT_URL = "http://127.0.0.1:52480"
DEFAULT_TIMEOUT = 120.0
MODELS = {"fast": "sonar", "standard": "sonar-pro", "deep": "sonar-reasoning-pro"}


@dataclass(frozen=True)
class Result:
    """A page that a search found."""

    title: str
    url: str
    snippet: str
    """An excerpt; empty where none is known."""
    published_date: Optional[str] = None
    """YYYY-MM-DD, where it is known."""
    rank: int = 0
    """Its place among all results, from 1."""
    source: str = ""
    """The backend that found it."""
    score: Optional[float] = None
    """The backend's own measure, where it has one; higher is better."""


@dataclass(frozen=True)
class SearchResults:
    """What a search found."""

    query: str
    backend: str
    """Who found it: claude, searxng, …"""
    elapsed_ms: int
    results: Tuple[Result, ...]


@dataclass(frozen=True)
class Answer:
    """Written text that rests on pages."""

    text: str
    """With markers [n], which name the n-th of the sources."""
    sources: Tuple[Result, ...]
    model: str


@dataclass(frozen=True)
class Page:
    """The content of a page."""

    url: str
    final_url: str
    """Where the page was in the end, after redirects."""
    title: Optional[str]
    content: str
    """Markdown, unless another format was asked for."""
    published_date: Optional[str] = None
    remaining: int = 0
    """Characters behind this content; ask again with offset to have them."""


class CspError(Exception):
    """Why there is no result, and what to do about it."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        status: Optional[int] = None,
        retry_after: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(f"{message} {hint}".strip())
        self.code = code
        """unreachable, timeout, unauthorized, rate_limited, invalid_request, unavailable, …"""
        self.message = message
        self.hint = hint
        self.status = status
        """Of the HTTP reply, where there was one."""
        self.retry_after = retry_after
        """In seconds, where csp said it."""
        self.request_id = request_id
        """Names the request in the log of csp."""


class PageError(CspError):
    """csp works, but this page cannot be read: page_unreachable, page_timeout, page_not_found, …"""


def search(
    query: str,
    max_results: int = 10,
    freshness: Union[str, int, None] = None,
    *,
    language: Optional[str] = None,
    country: Optional[str] = None,
    include_domains: Sequence[str] = (),
    exclude_domains: Sequence[str] = (),
    safesearch: Optional[str] = None,
    category: Optional[str] = None,
    offset: int = 0,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> SearchResults:
    """Find pages: 1 to 20 of them. timeout is in seconds.

    freshness: "hour", "day", "week", "month" or "year", two days such as "2026-01-01to2026-06-30", or a number of days.

    The other filters are those of /v1/search: language such as "de", country such as "DE", safesearch "off", "moderate"
    or "strict", category such as "news"; offset passes over as many results.
    """
    filters = {
        "language": language,
        "country": country,
        "include_domains": list(include_domains),
        "exclude_domains": list(exclude_domains),
        "safesearch": safesearch,
        "category": category,
        "offset": offset,
    }
    body: Dict[str, Any] = {"query": query, "count": max_results}
    body.update({name: value for name, value in filters.items() if value})
    if isinstance(freshness, int):
        if freshness < 1:
            raise CspError("invalid_request", "freshness must be 1 day or more.")
        today = datetime.now(timezone.utc).date()
        freshness = f"{today - timedelta(days=freshness)}to{today}"
    if freshness is not None:
        body["freshness"] = freshness
    reply = _post("/v1/search", body, url, key, timeout)
    rows = _rows(reply, "results")
    return SearchResults(
        query=_text(reply.get("query")) or query,
        backend=_text(reply.get("backend")),
        elapsed_ms=int(_number(reply.get("elapsed_ms")) or 0),
        results=tuple(_result(row, offset + place) for place, row in enumerate(rows, 1)),
    )


def ask(
    question: str,
    effort: str = "standard",
    *,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Answer:
    """Have an answer written, with its sources. effort is fast, standard or deep. timeout is in seconds."""
    if effort not in MODELS:
        raise CspError("invalid_request", f"effort must be one of {', '.join(MODELS)}.")
    body = {"model": MODELS[effort], "messages": [{"role": "user", "content": question}]}
    reply = _post("/chat/completions", body, url, key, timeout)
    choices = _rows(reply, "choices")
    message = choices[0].get("message") if choices else None
    text = message.get("content") if isinstance(message, dict) else None
    sources = tuple(_result(row, place) for place, row in enumerate(_rows(reply, "search_results"), 1))
    return Answer(text=_text(text), sources=sources, model=_text(reply.get("model")))


def fetch(
    address: str,
    format: str = "markdown",
    max_characters: Optional[int] = None,
    offset: int = 0,
    *,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Page:
    """Read a page. format is markdown, text or html; offset passes over as many characters. timeout is in seconds."""
    body: Dict[str, Any] = {"urls": [address], "format": format, "offset": offset}
    if max_characters is not None:
        body["max_characters"] = max_characters
    reply = _post("/v1/extract", body, url, key, timeout)
    for row in _rows(reply, "results"):
        return Page(
            url=_text(row.get("url")),
            final_url=_text(row.get("final_url")),
            title=_optional(row.get("title")),
            content=_text(row.get("content")),
            published_date=_optional(row.get("published_date")),
            remaining=int(row.get("remaining") or 0),
        )
    for row in _rows(reply, "failed"):
        raise PageError(f"page_{_text(row.get('code')) or 'failed'}", _text(row.get("message")))
    raise _strange("it read no page")


async def search_async(
    query: str,
    max_results: int = 10,
    freshness: Union[str, int, None] = None,
    *,
    language: Optional[str] = None,
    country: Optional[str] = None,
    include_domains: Sequence[str] = (),
    exclude_domains: Sequence[str] = (),
    safesearch: Optional[str] = None,
    category: Optional[str] = None,
    offset: int = 0,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> SearchResults:
    """search, in a thread. A task that is cancelled returns at once; its request ends by itself."""
    filters: Dict[str, Any] = {
        "language": language,
        "country": country,
        "include_domains": include_domains,
        "exclude_domains": exclude_domains,
        "safesearch": safesearch,
        "category": category,
        "offset": offset,
    }
    place: Dict[str, Any] = {"url": url, "key": key, "timeout": timeout}
    return await asyncio.to_thread(search, query, max_results, freshness, **filters, **place)


async def ask_async(
    question: str,
    effort: str = "standard",
    *,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Answer:
    """ask, in a thread. A task that is cancelled returns at once; its request ends by itself."""
    return await asyncio.to_thread(ask, question, effort, url=url, key=key, timeout=timeout)


async def fetch_async(
    address: str,
    format: str = "markdown",
    max_characters: Optional[int] = None,
    offset: int = 0,
    *,
    url: Optional[str] = None,
    key: Optional[str] = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Page:
    """fetch, in a thread. A task that is cancelled returns at once; its request ends by itself."""
    given = (address, format, max_characters, offset)
    return await asyncio.to_thread(fetch, *given, url=url, key=key, timeout=timeout)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """csp redirects no call, and the key is for csp alone."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _post(path: str, body: Dict[str, Any], url: Optional[str], key: Optional[str], timeout: float) -> Dict[str, Any]:
    base = (url or os.environ.get("CSP_URL") or DEFAULT_URL).rstrip("/")
    host = urlsplit(base).hostname
    if urlsplit(base).scheme not in ("http", "https") or host is None:
        raise CspError("invalid_request", f"{base} is no address of a csp.", f"It looks like {DEFAULT_URL}.")
    headers = {"Content-Type": "application/json", "User-Agent": f"csp-search-python/{__version__}"}
    token = key or os.environ.get("CSP_API_KEY")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers, method="POST")
    # A proxy of the environment does not lead to this machine.
    is_local = host in ("localhost", "::1") or host.startswith("127.")
    proxies = [urllib.request.ProxyHandler({})] if is_local else []
    opener = urllib.request.build_opener(_NoRedirect, *proxies)
    try:
        with opener.open(request, timeout=timeout) as reply:
            content = reply.read()
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None
    except (TimeoutError, socket.timeout):
        raise _too_late(timeout) from None
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, (TimeoutError, socket.timeout)):
            raise _too_late(timeout) from None
        hint = "Start it with `csp serve`, or set CSP_URL to where it listens."
        raise CspError("unreachable", f"No csp answers at {base} ({reason}).", hint) from None
    return _object(content)


def _refusal(error: urllib.error.HTTPError) -> CspError:
    """What csp said, in whichever of its envelopes."""
    with error:
        try:
            said = _object(error.read()).get("error")
        except CspError:
            said = None
    fields = said if isinstance(said, dict) else {}
    message = _text(fields.get("message")) or f"csp replied with status {error.code}."
    code = {401: "unauthorized", 403: "forbidden", 404: "not_found", 408: "timeout", 429: "rate_limited", 504: "timeout"}
    named = fields.get("code")
    hint = _text(fields.get("hint"))
    if error.code == 401:
        hint = "Set CSP_API_KEY to a key of this csp; `csp keys add NAME` makes one."
    elif error.code == 404 and not fields:
        hint = "Is that a csp, and is its address right?"
    seconds = error.headers.get("Retry-After") or ""
    if error.code == 429 and seconds.isdigit() and not hint:
        is_said = "Resets " in message or "Try again " in message
        hint = ("" if is_said else f"Try again in {seconds} seconds. ") + "`csp status` shows the limits."
    return CspError(
        code=code.get(error.code) or (named if isinstance(named, str) else "failed"),
        message=message,
        hint=hint,
        status=error.code,
        retry_after=int(seconds) if seconds.isdigit() else None,
        request_id=error.headers.get("X-Request-Id"),
    )


def _too_late(timeout: float) -> CspError:
    return CspError("timeout", f"csp was silent for {timeout:g} seconds.", "A deep answer may need a longer timeout.")


def _strange(what: str) -> CspError:
    return CspError("failed", f"The reply is not that of a csp: {what}.", "Is its address right?")


def _object(content: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(content)
    except ValueError:
        raise _strange("no JSON") from None
    if not isinstance(value, dict):
        raise _strange("no object")
    return value


def _rows(reply: Dict[str, Any], name: str) -> List[Dict[str, Any]]:
    rows = reply.get(name, [])
    if not isinstance(rows, list):
        raise _strange(f"{name} is no list")
    return [row for row in rows if isinstance(row, dict)]


def _result(row: Dict[str, Any], place: int) -> Result:
    published = _optional(row.get("published_date")) or _optional(row.get("date"))
    rank = row.get("rank")
    return Result(
        title=_text(row.get("title")),
        url=_text(row.get("url")),
        snippet=_text(row.get("snippet")),
        published_date=published,
        rank=rank if isinstance(rank, int) else place,
        source=_text(row.get("source")),
        score=_number(row.get("score")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _optional(value: object) -> Optional[str]:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> Optional[float]:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """python -m csp_search. Returns 0, or 1 where something failed, which is said on standard error."""
    parser = argparse.ArgumentParser(prog="python -m csp_search", description="Search the web through csp.")
    parser.add_argument("query", help="what to search for; with --ask a question, with --fetch an address")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--ask", action="store_true", help="have an answer written")
    kind.add_argument("--fetch", action="store_true", help="read the page at this address")
    parser.add_argument("-n", "--max-results", type=int, default=10, metavar="N", help="1 to 20 pages (default: 10)")
    parser.add_argument("--freshness", metavar="SPAN", help="published within the last hour, day, week, month or year")
    parser.add_argument("--language", metavar="LANG", help="prefer pages in this language: en, pt-br")
    parser.add_argument("--effort", choices=list(MODELS), default="standard", help="of an answer (default: standard)")
    parser.add_argument("--url", help=f"of csp (default: CSP_URL, or {DEFAULT_URL})")
    parser.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT, metavar="SECONDS")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    try:
        print(_output(given))
    except CspError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _output(given: argparse.Namespace) -> str:
    place = {"url": given.url, "timeout": given.timeout}
    if given.fetch:
        page = fetch(given.query, **place)
        return json.dumps(asdict(page), ensure_ascii=False) if given.json else page.content
    if given.ask:
        answer = ask(given.query, given.effort, **place)
        if given.json:
            return json.dumps(asdict(answer), ensure_ascii=False)
        sources = [f"[{number}] {source.url}" for number, source in enumerate(answer.sources, 1)]
        return "\n".join([answer.text, "", *sources])
    found = search(given.query, given.max_results, given.freshness, language=given.language, **place)
    if given.json:
        return json.dumps(asdict(found), ensure_ascii=False)
    lines = [line for row in found.results for line in (f"{row.title}", f"  {row.url}", f"  {row.snippet}".rstrip(), "")]
    return "\n".join(lines).rstrip() or "Nothing was found."


if __name__ == "__main__":
    sys.exit(main())
