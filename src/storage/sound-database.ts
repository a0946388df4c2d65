import { Database } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../lib/errors.ts'
import { isBroken, setAside } from './memory/schema.ts'

export interface SoundDatabaseOptions {
  /** The file; created for its owner alone. */
  readonly path: string
  /** Tables that are made where they are missing. */
  readonly schema: string
  readonly version: number
  /** Called where a file that cannot be read was set aside. */
  readonly onDamage: (message: string) => void
}

/** Opens an SQLite file. One that is damaged, or of a newer csp, is set aside, and a new one begins. */
export function openSoundDatabase(options: SoundDatabaseOptions): Database {
  const { path, onDamage } = options
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    return open(options)
  } catch (error) {
    if (!existsSync(path) || !(error instanceof Unreadable || isBroken(error))) throw error
    setAside(path)
    onDamage(`${path} cannot be read (${messageOf(error)}). It was renamed to ${path}.damaged.`)
    return open(options)
  }
}

class Unreadable extends Error {}

function open({ path, schema, version }: SoundDatabaseOptions): Database {
  // SQLite gives the files beside it the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { strict: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    database.run('PRAGMA foreign_keys = ON')
    const found = database.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
    if (found > version) throw new Unreadable('it is of a newer csp')
    for (const setting of ['auto_vacuum = INCREMENTAL', 'journal_mode = WAL', 'synchronous = NORMAL']) {
      database.run(`PRAGMA ${setting}`)
    }
    const state = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()?.quick_check
    if (state !== 'ok') throw new Unreadable(state)
    database.run(schema)
    database.run(`PRAGMA user_version = ${version}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
