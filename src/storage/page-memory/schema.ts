import { Database } from 'bun:sqlite'
import { openPrivate, versionOf } from '../sqlite.ts'
import { bytesOf } from './eviction.ts'

/** Opens a file of memory, and makes it if there is none. Throws for a broken one. */
export function openDatabase(path: string): Database {
  return openPrivate(path, (database) => {
    const version = versionOf(database)
    if (version > formatVersion) throw new NewerMemory(path)
    // What is forgotten is gone from the file as well. Before anything is written, `auto_vacuum` takes effect.
    for (const pragma of [
      'auto_vacuum = INCREMENTAL',
      'journal_mode = WAL',
      'synchronous = NORMAL',
      'secure_delete = ON',
      'cache_size = -8000',
    ])
      database.run(`PRAGMA ${pragma}`)
    if (version < formatVersion) database.transaction(() => create(database)).immediate()
    database.run('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)')
  })
}

/** How much is in a file, which is not changed. Throws for a broken one, and for one of a newer csp. */
export function inspectDatabase(path: string): { readonly pages: number; readonly bytes: number } {
  const database = new Database(path, { readonly: true, strict: true })
  try {
    if (versionOf(database) > formatVersion) throw new NewerMemory(path)
    const row = database.query<{ pages: number }, []>('SELECT count(*) AS pages FROM pages').get()
    return { pages: row?.pages ?? 0, bytes: bytesOf(database) }
  } finally {
    database.close()
  }
}

/** A database of a later csp: it stays as it is. */
export class NewerMemory extends Error {
  override readonly name = 'NewerMemory'
  constructor(path: string) {
    super(`${path} was made by a newer csp. Nothing is kept until that one runs again.`)
  }
}

const formatVersion = 1

function create(database: Database): void {
  // Another process may have made them meanwhile.
  database.run(`CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, key TEXT NOT NULL, url TEXT NOT NULL,
    title TEXT NOT NULL, published TEXT, language TEXT, extent INTEGER NOT NULL, text BLOB NOT NULL,
    seen INTEGER NOT NULL, used INTEGER NOT NULL, UNIQUE (owner, key)) STRICT`)
  database.run('CREATE INDEX IF NOT EXISTS pages_by_use ON pages (used)')
  database.run(`CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, text, site, content='', contentless_delete=1,
    tokenize="unicode61 remove_diacritics 2 categories 'L* N* M* Co'")`)
  // The title weighs more; where a page lies says nothing about what is in it.
  database.run("INSERT INTO words(words, rank) VALUES('rank', 'bm25(4.0, 1.0, 0.0)')")
  database.run(`PRAGMA user_version = ${formatVersion}`)
}
