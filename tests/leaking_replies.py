"""Answers of a server that repeats a key in every part of an answer that may be stored or printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from judge_server import Handler, Reply, completion, rubbish, says, says_tokens, status

SCORE = '{"score": 5}'


def with_members(text: str = SCORE, **members: Any) -> Reply:
    """Answers with a chat completion that has further members."""
    return rubbish(json.dumps({**completion(text), **members}).encode())


def failing(error: Any, code: int = 400) -> Reply:
    """Answers with an error, or with any JSON."""
    return rubbish(json.dumps(error).encode(), code)


def reason_phrase(said: str) -> Reply:
    """Answers with a status line and a header that repeat a text."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        handler.send_response(400, said)
        handler.send_header("Content-Length", "0")
        handler.send_header("X-Request", said)
        handler.end_headers()

    return reply


def halves(said: str) -> tuple[str, str]:
    return said[: len(said) // 2], said[len(said) // 2 :]


def parts_of_the_content(said: str) -> Reply:
    parts = [{"type": "text", "text": part} for part in (SCORE, *halves(said))]
    return with_members(choices=[{"message": {"content": parts}, "finish_reason": "stop"}])


LEAKS: dict[str, Callable[[str], Reply]] = {
    "content": says,
    "content after a score": lambda said: says(f"{SCORE} {said}"),
    "content before a score": lambda said: says(f"{said} {SCORE}"),
    "parts of the content": parts_of_the_content,
    "finish_reason": lambda said: says(SCORE, said),
    "refusal": lambda said: says(None, refusal=said),
    "reasoning": lambda said: says(SCORE, reasoning=said, reasoning_content=said),
    "model": lambda said: with_members(model=said, id=said, system_fingerprint=said),
    "usage": lambda said: with_members(usage={"prompt_tokens": said, "completion_tokens": said, said: said}),
    "tokens": lambda said: says_tokens(*halves(said), text="4"),
    "token": lambda said: says_tokens(said, "4", text="4"),
    "alternatives": lambda said: says_tokens({"4": 0.5, said: 0.5}),
    "choices": lambda said: failing({"choices": said}, 200),
    "key of a member": lambda said: failing({said: said}, 200),
    "list": lambda said: failing([said], 200),
    "string": lambda said: failing(said),
    "no JSON": lambda said: rubbish(said.encode()),
    "no JSON with an error": lambda said: rubbish(said.encode(), 500),
    "half a body": lambda said: rubbish(json.dumps(completion(said)).encode()[:-20]),
    "error": lambda said: failing({"error": said}),
    "error.message": lambda said: status(400, said),
    "error.code": lambda said: status(400, "no", said),
    "error.type": lambda said: failing({"error": {"type": said}}),
    "error.detail": lambda said: failing({"detail": [{"msg": said}]}, 422),
    "error of a nested object": lambda said: failing({"error": {"message": {said: [said]}}}),
    "error with status 200": lambda said: failing({"error": {"message": said, "code": said}}, 200),
    "error of the account": lambda said: status(401, said),
    "error of credit": lambda said: status(429, said, "insufficient_quota"),
    "error of the URL": lambda said: status(404, said),
    "error that may pass": lambda said: status(503, said),
    "content filter": lambda said: status(400, said, "content_filter"),
    "Retry-After": lambda said: status(429, "later", Retry_After=said.strip()),
    "Location": lambda said: status(307, said, Location=f"http://127.0.0.1:9/{said.strip()}"),
    "status line": lambda said: reason_phrase(said.strip()),
}
"""For each part of an answer that may repeat a text the answer that does."""
