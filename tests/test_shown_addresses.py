"""Addresses are shown by scheme, host and path."""

from __future__ import annotations

import pytest

from rankreport.shown_addresses import shown_address, without_secrets

PLAIN = [
    *("https://example.org", "https://example.org/", "HTTPS://example.org/a/b.run.gz"),
    *("http://[::1]:8000/a@1/b.run", "http://localhost:8000/a@1.2/b.run", "https://h/a%3F.run"),
    *("s3://bucket/part-*.parquet", "hf://datasets/user/name@~parquet/test/0.parquet"),
    *("abfss://container@account.dfs.core.windows.net/a.parquet", "az://container/a.parquet"),
    *("file:///home/a@b/c:d@e/f.run", "sqlite:///home/a@b/base.db", "https://h:80a/a.run"),
    *("runs/part-?.csv", "runs/a#1;2.run", "C:/runs/a.run", "k=?/a.csv", "-", "", "new=a.run"),
]


@pytest.mark.parametrize("address", PLAIN)
def test_what_is_no_secret_is_shown(address):
    assert shown_address(address) == address
    assert without_secrets(f"GET ({address}).") == f"GET ({address})."


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:word@h:8443/a.run?x=1#y", "https://h:8443/a.run"),
        ("https://me@h/a.run", "https://h/a.run"),
        ("https://me:wo%40rd@h/a.run", "https://h/a.run"),
        ("https://me:wo@rd@h/a.run", "https://h/a.run"),
        ("https://me:wo/rd@h/a.run", "https://h/a.run"),
        ("https://me:wo@r/d@h/a.run", "https://h/a.run"),
        ("https://me:/word@h/a.run", "https://h/a.run"),
        ("https://me:wo?rd@h/a.run", "https://..."),
        ("https://me:word@h/a.run?mail=a@b", "https://h/a.run"),
        ("https://h?x=1", "https://h"),
        ("https://h/a;jsessionid=1", "https://h/a"),
        ("https://h/a.run%3Fx%3D1", "https://h/a.run"),
        ("https://h/a%3F.run?x=1", "https://h/a%3F.run"),
        ("https://h/copy/https://me:word@i/a.run?x=1", "https://h/copy/https://i/a.run"),
        ("https:/me:word@h/a.run?x=1", "https:/h/a.run"),
        ("new=https://me:word@h/a=b.run?x=1", "new=https://h/a=b.run"),
        ("--queries=new=s3://key:wo/rd@bucket/a.run", "--queries=new=s3://bucket/a.run"),
        (
            "abfss://me:word@account.dfs.core.windows.net/a",
            "abfss://account.dfs.core.windows.net/a",
        ),
        ("postgresql://me:word@h:5432/base?sslpassword=1", "postgresql://h:5432/base"),
        ("jdbc:sqlserver://h;user=me;password=word", "jdbc:sqlserver://h"),
        ("example.org/a.run?x=1", "example.org/a.run"),
        ("https://me:wo\nrd@h/a.run?x\ny", "https://h/a.run"),
    ],
)
def test_secrets_are_left_out(address, shown):
    assert shown_address(address) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('open "https://h/a b.run?x=1 2": no', 'open "https://h/a b.run": no'),
        ("open 'https://h/a.run?x=1 2': no", "open 'https://h/a.run': no"),
        ("at https://h/a.run?x=1, and s3://b/c?y", "at https://h/a.run, and s3://b/c"),
        ("path a.run?x=1 is wrong", "path a.run is wrong"),
        ("status code: 403 Forbidden: <Token>1</Token>", "status code: 403 Forbidden"),
        ("PWD={a;b};UID=c", "PWD=...;UID=c"),
        ("password='a b' host=c", "password=... host=c"),
        ("SECRET 'a', REGION 'b'", "SECRET ..., REGION 'b'"),
        ("{'session_token': 'a', 'region': 'b'}", "{'session_token': ..., 'region': 'b'}"),
        ("unexpected token at line 1, column 2", "unexpected token at line 1, column 2"),
    ],
)
def test_secrets_in_messages_are_left_out(text, shown):
    assert without_secrets(text) == shown
