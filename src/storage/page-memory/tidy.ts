import type { Database } from 'bun:sqlite'
import { pragmaOf } from '../sqlite.ts'

// The words of a forgotten page stay in the index, and its place in the file, until both are rewritten. For a large file
// that takes minutes, so it is done in short steps, and goes on where the file is opened again: `application_id` says
// how far it is.

const [isTidy, isUntidy, merging, mergingAgain, shrinking] = [0, 1, 2, 3, 4]

/** Notes that pages were forgotten. */
export function markUntidy(database: Database): void {
  // A merge that goes on may have copied their words already.
  set(database, mergingAgain)
}

/** Takes a short step. False once nothing is left to do. */
export function tidyStep(database: Database): boolean {
  const state = pragmaOf(database, 'application_id')
  if (state === isUntidy) {
    // A negative number has all parts of the index merged into one.
    mergeWords(database, -stepPages)
    set(database, merging)
  } else if (state === merging || state === mergingAgain) {
    if (!mergeWords(database, stepPages)) set(database, state === merging ? shrinking : isUntidy)
  } else if (state === shrinking && pragmaOf(database, 'freelist_count') > 0) {
    // A file of before this was done shrinks as a whole once, and then in steps.
    database.run(pragmaOf(database, 'auto_vacuum') === 0 ? 'VACUUM' : `PRAGMA incremental_vacuum(${stepPages})`)
  } else if (state !== isTidy) {
    set(database, isTidy)
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  return pragmaOf(database, 'application_id') !== isTidy
}

/** Whether there was something to merge. */
function mergeWords(database: Database, pages: number): boolean {
  const changes = () => database.query<{ count: number }, []>('SELECT total_changes() AS count').get()?.count ?? 0
  const before = changes()
  database.run("INSERT INTO words(words, rank) VALUES('merge', ?)", [pages])
  // SQLite counts the statement itself.
  return changes() - before >= 2
}

function set(database: Database, state: number | undefined): void {
  database.run(`PRAGMA application_id = ${state}`)
}

/** Some 30 ms of work. */
const stepPages = 100
