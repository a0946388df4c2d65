import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '@csp/lib/errors'
import { checkPlainFile } from './plain-file.ts'

/** Opens an SQLite file that only its owner can read, and prepares it. Makes it if there is none. */
export function openPrivate(path: string, prepare: (database: Database) => void): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  checkPlainFile(path)
  // SQLite gives the files beside it the same mode.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const database = new Database(path, { strict: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The version of the format that a file has; 0 for a new one. */
export function versionOf(database: Database): number {
  return pragmaOf(database, 'user_version')
}

/** The number that a pragma returns. */
export function pragmaOf(database: Database, name: string): number {
  return Number(Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0])
}

/** Statements with their values: the rows that one finds, or how many rows one has changed. */
export function statements(database: Database) {
  return {
    all: <Row>(sql: string, ...values: SQLQueryBindings[]) =>
      database.query<Row, SQLQueryBindings[]>(sql).all(...values),
    run: (sql: string, ...values: SQLQueryBindings[]) => database.query(sql).run(...values).changes,
  }
}

/** Moves a broken file aside, in the place of an earlier one, so that another can be begun. */
export function setAside(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.damaged`)
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
}

/** Whether SQLite says that the file itself is broken. */
export function isBroken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(code) || /malformed|not a database/.test(messageOf(error))
}
