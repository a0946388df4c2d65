import type { Subject } from '../page.ts'

export const sqlite: Subject = {
  name: "SQLite's write-ahead log",
  about: 'sqlite, wal, write-ahead, checkpoint, checkpoints',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/sqlite-wal',
      title: 'Write-ahead logging in SQLite',
      publishedAt: '2026-02-12',
      text: `In WAL mode SQLite appends changes to a separate file, the write-ahead log, and leaves the database file as it is until a checkpoint. SQLite has WAL mode since version 3.7.0, which was released on 21 July 2010.

Readers do not block the writer, and the writer does not block readers. There is only one writer at a time, since there is one log.

## Against the rollback journal

| | Rollback journal | WAL |
| Written first | the old pages | the new pages |
| Readers during a write | wait while it commits | go on |
| Files beside the database | one, -journal | two, -wal and -shm |
| On a network file system | possible | not possible |

All processes that use a WAL database must run on the same machine, because they share memory in the file -shm.

## What a reader sees

A reader remembers the end of the log at its start, its end mark, and ignores what is appended later. It therefore sees one state of the database for its whole transaction.

## Limits

For transactions above 100 megabytes a rollback journal is likely to be faster. WAL is a little slower for programs that mostly read and rarely write.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/databases/wal-checkpoints',
      title: 'WAL checkpoints: keeping the log small',
      publishedAt: '2026-08-21',
      text: `A checkpoint moves the changes of the write-ahead log into the database file. By default SQLite runs a checkpoint when the log has reached 1,000 pages, about 4 MB with pages of 4,096 bytes.

The mode is kept in the database file, so it is set once:

    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 1000;

## Kinds of checkpoint

| Kind | What it does |
| PASSIVE | moves what it can without waiting |
| FULL | waits for the writer, then moves everything |
| RESTART | also waits until the log can begin anew |
| TRUNCATE | also cuts the log to zero bytes |

## When the log grows

A reader that stays open for long keeps a checkpoint from finishing, and the log grows. A checkpoint cannot go past the end mark of any reader.

## Safety

With synchronous = NORMAL a WAL database stays intact after a power loss, but the last commits may be gone. With synchronous = FULL the log is flushed to disk after each commit.`,
    },
  ],
}
