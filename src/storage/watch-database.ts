import type { Watch, WatchEntry } from '../domain/watch.ts'
import type { WatchStore } from '../jobs/watch-store.ts'
import { openSoundDatabase, type SoundDatabaseOptions } from './sound-database.ts'
import { statements } from './sqlite.ts'

/** Watches in SQLite. */
export function watchDatabase(options: Pick<SoundDatabaseOptions, 'path' | 'onDamage'>): WatchStore {
  const database = openSoundDatabase({ ...options, version: 1, schema })
  const { all, run } = statements(database)
  if (all("SELECT 1 FROM sqlite_master WHERE name = 'monitors'").length > 0) database.run(removeMonitors)

  const get = (id: string): Watch | undefined => all<WatchRow>('SELECT * FROM watches WHERE id = ?', id).map(watchOf)[0]

  return {
    add({ id, request, everyMs, createdAt, nextAt }) {
      run(
        'INSERT INTO watches (id, request, every_ms, created_at, next_at) VALUES (?, ?, ?, ?, ?)',
        ...[id, JSON.stringify(request), everyMs, createdAt, nextAt],
      )
    },
    list: () => all<WatchRow>('SELECT * FROM watches ORDER BY rowid').map(watchOf),
    get,
    counts() {
      const sql = 'SELECT count(*) AS count, count(problem) AS failing, max(problem) AS problem FROM watches'
      const [row] = all<{ count: number; failing: number; problem: string | null }>(sql)
      return { count: row?.count ?? 0, failing: row?.failing ?? 0, problem: row?.problem ?? undefined }
    },
    feed(id) {
      const watch = get(id)
      if (!watch) return undefined
      const sql = 'SELECT * FROM entries WHERE watch = ? ORDER BY sequence DESC'
      return { watch, entries: all<EntryRow>(sql, id).map(entryOf) }
    },
    remove: (id) => run('DELETE FROM watches WHERE id = ?', id) > 0,
    nextAt() {
      return all<{ at: number | null }>('SELECT min(next_at) AS at FROM watches')[0]?.at ?? undefined
    },
    claim: database.transaction((now, until) => {
      // One whose last run is still to come was run under a clock that was wrong: its next time is wrong, too.
      const sql = `UPDATE watches SET next_at = ?1, last_at = min(last_at, ?2) WHERE id = (SELECT id FROM watches
        WHERE next_at <= ?2 OR last_at > ?2 ORDER BY next_at LIMIT 1) RETURNING id`
      const [row] = all<{ id: string }>(sql, until, now)
      return row && get(row.id)
    }).immediate,
    keep: database.transaction((id, at, nextAt, entries, seen) => {
      const sql = 'UPDATE watches SET next_at = ?, last_at = ?, problem = NULL, seen = ? WHERE id = ?'
      if (run(sql, nextAt, at, JSON.stringify(seen), id) === 0) return
      for (const { kind, url, title, passages } of entries) {
        run(
          'INSERT INTO entries SELECT ?, coalesce(max(sequence), 0) + 1, ?, ?, ?, ?, ? FROM entries WHERE watch = ?',
          ...[id, at, kind, url, title, JSON.stringify(passages), id],
        )
      }
      run(
        'DELETE FROM entries WHERE watch = ? AND sequence <= (SELECT max(sequence) FROM entries WHERE watch = ?) - ?',
        ...[id, id, maxEntries],
      )
    }),
    fail(id, nextAt, problem) {
      run('UPDATE watches SET next_at = ?, problem = ? WHERE id = ?', nextAt, problem || null, id)
    },
    close: () => database.close(),
  }
}

/** Entries of one feed. */
const maxEntries = 200
const schema = `
  CREATE TABLE IF NOT EXISTS watches (
    id TEXT PRIMARY KEY, request TEXT NOT NULL, every_ms INTEGER NOT NULL, created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL, last_at INTEGER, problem TEXT, seen TEXT NOT NULL DEFAULT '{}');
  CREATE TABLE IF NOT EXISTS entries (
    watch TEXT NOT NULL REFERENCES watches ON DELETE CASCADE, sequence INTEGER NOT NULL, at INTEGER NOT NULL,
    kind TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, passages TEXT NOT NULL,
    PRIMARY KEY (watch, sequence)) WITHOUT ROWID`

/** Exa's monitors, which earlier versions kept here. Their ids were no secrets, so they must not become feeds. */
const removeMonitors = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS monitors (watch TEXT);
  DELETE FROM watches WHERE id IN (SELECT watch FROM monitors);
  DROP TABLE IF EXISTS runs;
  DROP TABLE monitors;
  COMMIT`

interface WatchRow {
  readonly id: string
  readonly request: string
  readonly every_ms: number
  readonly created_at: number
  readonly next_at: number
  readonly last_at: number | null
  readonly problem: string | null
  readonly seen: string
}

interface EntryRow extends Omit<WatchEntry, 'passages'> {
  readonly passages: string
}

/** What is JSON was written above, from values of these types. */
function watchOf(row: WatchRow): Watch {
  const { id, request, every_ms, created_at, next_at, last_at, problem, seen } = row
  return {
    id,
    everyMs: every_ms,
    createdAt: created_at,
    nextAt: next_at,
    lastAt: last_at ?? undefined,
    problem: problem ?? undefined,
    request: JSON.parse(request) as Watch['request'],
    seen: JSON.parse(seen) as Watch['seen'],
  }
}

function entryOf({ sequence, at, kind, url, title, passages }: EntryRow): WatchEntry {
  return { sequence, at, kind, url, title, passages: JSON.parse(passages) as string[] }
}
