import type { SQLQueryBindings } from 'bun:sqlite'
import type { Job, JobEvent, JobState, JobStatus } from '../domain/job.ts'
import type { SearchEvent } from '../domain/search.ts'
import type { ClaimedJob, JobStore } from '../jobs/job-store.ts'
import { isRunning } from './is-running.ts'
import { lifeOfThisProcess } from './replace-file.ts'
import { openSoundDatabase, type SoundDatabaseOptions } from './sound-database.ts'
import { statements } from './sqlite.ts'

export interface JobDatabaseOptions extends Pick<SoundDatabaseOptions, 'path' | 'onDamage'> {
  readonly maxDays: number
  /** Ended jobs of one owner, and of all. */
  readonly maxEach: number
  readonly maxAll: number
}

/** How long a claim holds that its process does not renew. */
const claimMs = 30_000

/** Jobs in SQLite. A write is there when it returns, also if the process is killed then. */
export function jobDatabase(options: JobDatabaseOptions): JobStore {
  const database = openSoundDatabase({ ...options, version: 1, schema })
  const runner = `${process.pid}:${lifeOfThisProcess}`
  const { all, run } = statements(database)
  const one = (sql: string, ...values: SQLQueryBindings[]) => all<JobRow>(sql, ...values)[0]
  const mine = `id = ? AND status = 'running' AND runner = '${runner}'`

  const append = (id: string, runNumber: number, at: number, events: readonly SearchEvent[]): void => {
    if (events.length === 0 || !one(`SELECT * FROM jobs WHERE ${mine}`, id)) return
    const [last] = all<{ sequence: number | null }>('SELECT max(sequence) AS sequence FROM events WHERE job = ?', id)
    let sequence = last?.sequence ?? 0
    for (const event of events)
      run('INSERT INTO events VALUES (?, ?, ?, ?, ?)', id, ++sequence, runNumber, at, JSON.stringify(event))
  }
  const claim = database.transaction((limits: { all: number; each: number }, now: number): ClaimedJob | undefined => {
    const row = one(
      `SELECT job.*, (SELECT count(*) FROM jobs WHERE status = 'running' AND owner = job.owner) AS busy FROM jobs AS job
       WHERE status = 'queued' AND (not_before <= ? OR not_before > ?) AND busy < ? AND (SELECT count(*) FROM jobs WHERE status = 'running') < ?
       ORDER BY busy, created_at, rowid LIMIT 1`,
      // No job waits longer than this: the clock was set back.
      ...[now, now + 86_400_000, limits.each, limits.all],
    )
    if (!row) return undefined
    run(
      `UPDATE jobs SET status = 'running', runner = ?, claimed_until = ?, started_at = coalesce(started_at, ?),
       run = run + 1, idle_runs = idle_runs + 1 WHERE id = ?`,
      ...[runner, now + claimMs, now, row.id],
    )
    const job = jobOf({ ...row, status: 'running', started_at: row.started_at ?? now })
    return {
      job,
      run: row.run + 1,
      idleRuns: row.idle_runs + 1,
      progress: parsed(row.progress) as ClaimedJob['progress'],
    }
  })

  return {
    add({ id, owner, vendor, createdAt, request, input }) {
      run(
        'INSERT INTO jobs (id, owner, vendor, created_at, request, input) VALUES (?, ?, ?, ?, ?, ?)',
        ...[id, owner, vendor, createdAt, JSON.stringify(request), JSON.stringify(input)],
      )
      return { id, owner, vendor, createdAt, request, input, status: 'queued' }
    },
    get(id) {
      const row = one('SELECT * FROM jobs WHERE id = ?', id)
      return row && jobOf(row)
    },
    state(id) {
      const row = all<StateRow>('SELECT status, ended_at, failure FROM jobs WHERE id = ?', id)[0]
      return row && stateOf(row)
    },
    ids({ owner, vendor, limit, before }) {
      const rows = all<Pick<JobRow, 'id'>>(
        `SELECT id FROM jobs WHERE owner = coalesce(?, owner) AND vendor = coalesce(?, vendor)
         AND rowid < coalesce((SELECT rowid FROM jobs WHERE id = ?), 9e18) ORDER BY rowid DESC LIMIT ?`,
        ...[owner ?? null, vendor ?? null, before ?? null, limit],
      )
      return rows.map(({ id }) => id)
    },
    unfinished(owner) {
      const sql = `SELECT count(*) AS count FROM jobs WHERE status IN ('queued', 'running') AND owner = coalesce(?, owner)`
      return all<{ count: number }>(sql, owner ?? null)[0]?.count ?? 0
    },
    counts() {
      const sql = `SELECT coalesce(sum(status = 'queued'), 0) AS queued, coalesce(sum(status = 'running'), 0) AS running FROM jobs`
      return all<{ queued: number; running: number }>(sql)[0] ?? { queued: 0, running: 0 }
    },
    claim: (limits, now) => claim.immediate(limits, now),
    renew(now) {
      for (const row of all<JobRow>(`SELECT * FROM jobs WHERE status = 'running' AND runner <> ?`, runner)) {
        if (row.claimed_until > now && isAlive(row.runner)) continue
        run(`UPDATE jobs SET status = 'queued' WHERE id = ? AND runner = ?`, row.id, row.runner)
      }
      run(`UPDATE jobs SET claimed_until = ? WHERE status = 'running' AND runner = ?`, now + claimMs, runner)
      const rows = all<{ id: string }>(`SELECT id FROM jobs WHERE status = 'running' AND runner = ?`, runner)
      return new Set(rows.map(({ id }) => id))
    },
    append: database.transaction(append),
    checkpoint(id, progress) {
      run(`UPDATE jobs SET progress = ?, idle_runs = 0 WHERE ${mine}`, JSON.stringify(progress), id)
    },
    end: database.transaction((id, runNumber, at, end, events) => {
      append(id, runNumber, at, events)
      if (end.status === 'queued') {
        run(`UPDATE jobs SET status = 'queued', not_before = ?, idle_runs = 0 WHERE ${mine}`, end.notBefore, id)
      } else {
        const failure = end.failure ? JSON.stringify(end.failure) : null
        run(
          `UPDATE jobs SET status = ?, ended_at = ?, failure = ?, progress = NULL WHERE ${mine}`,
          ...[end.status, at, failure, id],
        )
      }
    }),
    events(id, after) {
      const rows = all<EventRow>('SELECT * FROM events WHERE job = ? AND sequence > ? ORDER BY sequence', id, after)
      // Written above, from events of this type.
      return rows.map(({ event, ...row }): JobEvent => ({ ...row, event: parsed(event) as SearchEvent }))
    },
    cancel(id, at) {
      run(
        `UPDATE jobs SET status = 'cancelled', ended_at = ?, progress = NULL WHERE id = ? AND status IN ('queued', 'running')`,
        ...[at, id],
      )
    },
    remove(id) {
      run('DELETE FROM jobs WHERE id = ?', id)
    },
    sweep(now) {
      run(
        `DELETE FROM jobs WHERE id IN (
           SELECT id FROM (
             SELECT id, ended_at, row_number() OVER (ORDER BY rowid DESC) AS place,
               row_number() OVER (PARTITION BY owner ORDER BY rowid DESC) AS own_place
             FROM jobs WHERE ended_at IS NOT NULL
           ) WHERE ended_at < ? OR place > ? OR own_place > ?)`,
        ...[now - options.maxDays * 86_400_000, options.maxAll, options.maxEach],
      )
      database.run('PRAGMA incremental_vacuum')
    },
    close: () => database.close(),
  }
}

interface JobRow {
  readonly id: string
  readonly owner: string
  readonly vendor: string
  readonly status: JobStatus
  readonly created_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly request: string
  readonly input: string
  readonly failure: string | null
  readonly progress: string | null
  readonly run: number
  readonly idle_runs: number
  readonly runner: string
  readonly claimed_until: number
}

type StateRow = Pick<JobRow, 'status' | 'ended_at' | 'failure'>

interface EventRow extends Omit<JobEvent, 'event'> {
  readonly event: string
}

const schema = `
  CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, vendor TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'queued',
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, request TEXT NOT NULL, input TEXT NOT NULL,
    failure TEXT, progress TEXT, run INTEGER NOT NULL DEFAULT 0, idle_runs INTEGER NOT NULL DEFAULT 0,
    runner TEXT NOT NULL DEFAULT '', claimed_until INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, owner);
  CREATE TABLE IF NOT EXISTS events (
    job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE, sequence INTEGER NOT NULL, run INTEGER NOT NULL,
    at INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (job, sequence)) WITHOUT ROWID`

function jobOf(row: JobRow): Job {
  const { id, owner, vendor, created_at: createdAt, started_at, request, input } = row
  return {
    id,
    owner,
    vendor,
    createdAt,
    startedAt: started_at ?? undefined,
    ...stateOf(row),
    // Written above, from a job.
    request: parsed(request) as Job['request'],
    input: parsed(input),
  }
}

function stateOf({ status, ended_at, failure }: StateRow): JobState {
  // Written above, from a job.
  return { status, endedAt: ended_at ?? undefined, failure: parsed(failure) as Job['failure'] }
}

function parsed(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}

/** A process with this id that began later is another one: it has another life. */
function isAlive(runner: string): boolean {
  const [pid = '', life] = runner.split(':')
  return Number(pid) === process.pid ? life === lifeOfThisProcess : isRunning(Number(pid))
}
