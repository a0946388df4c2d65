import { never, type Watch, type WatchEntry } from '../domain/watch.ts'
import type { MonitorRun } from '../domain/watches.ts'
import type { WatchStore } from '../jobs/watch-store.ts'
import { openSoundDatabase, type SoundDatabaseOptions } from './sound-database.ts'
import { statements } from './sqlite.ts'

/** Watches in SQLite. */
export function watchDatabase(options: Pick<SoundDatabaseOptions, 'path' | 'onDamage'>): WatchStore {
  const database = openSoundDatabase({ ...options, version: 1, schema })
  const { all, run } = statements(database)

  const get = (id: string): Watch | undefined => all<WatchRow>(`${watches} WHERE id = ?`, id).map(watchOf)[0]
  const setMonitor = ({ id, monitor }: Pick<Watch, 'id' | 'monitor'>) => {
    if (monitor) run('INSERT OR REPLACE INTO monitors (watch, settings) VALUES (?, ?)', id, JSON.stringify(monitor))
  }

  return {
    add: database.transaction((watch) => {
      const { id, request, everyMs, createdAt, nextAt } = watch
      run(
        'INSERT INTO watches (id, request, every_ms, created_at, next_at) VALUES (?, ?, ?, ?, ?)',
        ...[id, JSON.stringify(request), everyMs, createdAt, nextAt],
      )
      setMonitor(watch)
    }),
    list: () => all<WatchRow>(`${watches} ORDER BY watches.rowid`).map(watchOf),
    get,
    counts() {
      const sql = 'SELECT count(*) AS count, count(problem) AS failing, max(problem) AS problem FROM watches'
      const [row] = all<{ count: number; failing: number; problem: string | null }>(sql)
      return { count: row?.count ?? 0, failing: row?.failing ?? 0, problem: row?.problem ?? undefined }
    },
    change: database.transaction((watch) => {
      const { id, request, everyMs, nextAt } = watch
      const sql = 'UPDATE watches SET request = ?, every_ms = ?, next_at = ? WHERE id = ?'
      if (run(sql, JSON.stringify(request), everyMs, nextAt, id) > 0) setMonitor(watch)
    }),
    feed(id) {
      const watch = get(id)
      if (!watch) return undefined
      const sql = 'SELECT * FROM entries WHERE watch = ? ORDER BY sequence DESC'
      return { watch, entries: all<EntryRow>(sql, id).map(entryOf) }
    },
    remove: (id) => run('DELETE FROM watches WHERE id = ?', id) > 0,
    nextAt() {
      const sql = 'SELECT min(next_at) AS at FROM watches WHERE next_at < ?'
      return all<{ at: number | null }>(sql, never)[0]?.at ?? undefined
    },
    claim: database.transaction((now, until) => {
      // One whose last run is still to come was run under a clock that was wrong: its next time is wrong, too.
      const sql = `UPDATE watches SET next_at = ?1, last_at = min(last_at, ?2) WHERE id = (SELECT id FROM watches
        WHERE next_at <= ?2 OR (last_at > ?2 AND next_at < ${never}) ORDER BY next_at LIMIT 1) RETURNING id`
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
    saveRun: database.transaction((made) => {
      const { id, monitor } = made
      const sql = `INSERT INTO runs (id, watch, run) SELECT ?, id, ? FROM watches WHERE id = ?
        ON CONFLICT (id) DO UPDATE SET run = excluded.run`
      run(sql, id, JSON.stringify(made), monitor)
      const last = 'SELECT rowid FROM runs WHERE watch = ? ORDER BY rowid DESC LIMIT ?'
      run(`DELETE FROM runs WHERE watch = ? AND rowid NOT IN (${last})`, monitor, monitor, maxRuns)
    }),
    runs(monitor) {
      const sql =
        monitor === undefined ? `json_extract(run, '$.delivery.status') = 'pending'` : 'watch = ? ORDER BY rowid DESC'
      const rows = all<{ run: string }>(
        `SELECT run FROM runs WHERE ${sql}`,
        ...(monitor === undefined ? [] : [monitor]),
      )
      // Written above, from runs.
      return rows.map((row) => JSON.parse(row.run) as MonitorRun)
    },
    close: () => database.close(),
  }
}

/** Of one feed. */
const maxEntries = 200
/** Of one monitor. */
const maxRuns = 50

const watches = 'SELECT watches.*, settings FROM watches LEFT JOIN monitors ON watch = watches.id'

const schema = `
  CREATE TABLE IF NOT EXISTS watches (
    id TEXT PRIMARY KEY, request TEXT NOT NULL, every_ms INTEGER NOT NULL, created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL, last_at INTEGER, problem TEXT, seen TEXT NOT NULL DEFAULT '{}');
  CREATE TABLE IF NOT EXISTS entries (
    watch TEXT NOT NULL REFERENCES watches ON DELETE CASCADE, sequence INTEGER NOT NULL, at INTEGER NOT NULL,
    kind TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, passages TEXT NOT NULL,
    PRIMARY KEY (watch, sequence)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS monitors (
    watch TEXT PRIMARY KEY REFERENCES watches ON DELETE CASCADE, settings TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, watch TEXT NOT NULL REFERENCES watches ON DELETE CASCADE, run TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS runs_by_watch ON runs (watch)`

interface WatchRow {
  readonly id: string
  readonly request: string
  readonly every_ms: number
  readonly created_at: number
  readonly next_at: number
  readonly last_at: number | null
  readonly problem: string | null
  readonly seen: string
  readonly settings: string | null
}

interface EntryRow extends Omit<WatchEntry, 'passages'> {
  readonly passages: string
}

/** What is JSON was written above, from values of these types. */
function watchOf(row: WatchRow): Watch {
  const { id, request, every_ms, created_at, next_at, last_at, problem, seen, settings } = row
  return {
    ...{ id, everyMs: every_ms, createdAt: created_at, nextAt: next_at },
    ...(settings !== null && { monitor: JSON.parse(settings) as Watch['monitor'] }),
    lastAt: last_at ?? undefined,
    problem: problem ?? undefined,
    request: JSON.parse(request) as Watch['request'],
    seen: JSON.parse(seen) as Watch['seen'],
  }
}

function entryOf({ sequence, at, kind, url, title, passages }: EntryRow): WatchEntry {
  return { sequence, at, kind, url, title, passages: JSON.parse(passages) as string[] }
}
