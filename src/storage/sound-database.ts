import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { messageOf } from '@csp/lib/errors'
import { isBroken, openPrivate, setAside, versionOf } from './sqlite.ts'

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
  return openPrivate(path, (database) => {
    database.run('PRAGMA foreign_keys = ON')
    if (versionOf(database) > version) throw new Unreadable('it is of a newer csp')
    for (const setting of ['auto_vacuum = INCREMENTAL', 'journal_mode = WAL', 'synchronous = NORMAL']) {
      database.run(`PRAGMA ${setting}`)
    }
    const state = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()?.quick_check
    if (state !== 'ok') throw new Unreadable(state)
    database.run(schema)
    database.run(`PRAGMA user_version = ${version}`)
  })
}
