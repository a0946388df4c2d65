import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSoundDatabase } from '../../src/storage/sound-database.ts'
import { isBroken, openPrivate, setAside } from '../../src/storage/sqlite.ts'

/** Holds a file, says so, and lets go of it while the other thread waits. */
const holder = `
  import { Database } from 'bun:sqlite'
  self.onmessage = ({ data }) => {
    const database = new Database(data)
    database.run('BEGIN EXCLUSIVE')
    postMessage('held')
    setTimeout(() => database.run('COMMIT'), 50)
  }`

test('a file that another process writes at the moment is waited for', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'csp-sqlite-')), 'some.sqlite')
  openPrivate(path, (database) => database.run('CREATE TABLE notes (text)')).close()
  const worker = new Worker(URL.createObjectURL(new Blob([holder], { type: 'application/typescript' })))
  try {
    await new Promise((resolve) => {
      worker.onmessage = resolve
      worker.postMessage(path)
    })
    const database = openPrivate(path, (opened) => opened.run("INSERT INTO notes VALUES ('mine')"))
    expect(database.query('SELECT text FROM notes').all()).toEqual([{ text: 'mine' }])
    database.close()
  } finally {
    worker.terminate()
  }
})

const freshPath = () => join(mkdtempSync(join(tmpdir(), 'csp-sqlite-')), 'some.sqlite')

test('a file that is set aside takes those beside it along, and replaces an earlier one', () => {
  const path = freshPath()
  for (const text of ['first', 'second']) {
    for (const end of ['', '-wal', '-shm']) writeFileSync(path + end, text)
    setAside(path)
    expect(['', '-wal', '-shm'].map((end) => existsSync(path + end))).toEqual([false, false, false])
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text)
  }
  setAside(path)
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('second')
})

test.each([
  ['x', 'SQLITE_CORRUPT_VTAB', true],
  ['x', 'SQLITE_NOTADB', true],
  ['x', 'SQLITE_BUSY', false],
  ['database disk image is malformed', undefined, true],
  ['file is not a database', undefined, true],
  ['x', undefined, false],
])('the error %j with the code %s is of a broken file: %p', (message, code, isOne) => {
  expect(isBroken(Object.assign(new Error(message), code && { code }))).toBe(isOne)
})

const schema =
  'CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL); CREATE INDEX IF NOT EXISTS by_text ON notes (text)'

test('a file that is damaged, or of a newer csp, is set aside, and a new one begins', () => {
  const filled = (path: string) => {
    const database = openSoundDatabase({ path, schema, version: 1, onDamage: () => {} })
    for (let note = 0; note < 500; note++) database.query('INSERT INTO notes VALUES (?)').run(`note ${note}`.padEnd(99))
    return database
  }
  const damage: readonly ((path: string) => string)[] = [
    (path) => {
      writeFileSync(path, 'no database at all, but long enough to be looked at as one'.repeat(20))
      return 'not a database'
    },
    (path) => {
      const database = filled(path)
      database.run('PRAGMA user_version = 2')
      database.close()
      return 'it is of a newer csp'
    },
    (path) => {
      const database = filled(path)
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
      // A page in the middle.
      const bytes = readFileSync(path)
      bytes.fill(0, 4096 * 8, 4096 * 9)
      writeFileSync(path, bytes)
      return 'page 9'
    },
  ]
  for (const broken of damage) {
    const path = freshPath()
    const why = broken(path)
    const said: string[] = []
    const database = openSoundDatabase({ path, schema, version: 1, onDamage: (message) => said.push(message) })
    expect(database.query('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 0 })
    expect(said).toEqual([expect.stringContaining(why)])
    expect(said[0]).toEndWith(`It was renamed to ${path}.damaged.`)
    expect(existsSync(`${path}.damaged`)).toBe(true)
    database.close()
  }
})

test('a fault that is not of the file leaves it where it is', () => {
  const path = freshPath()
  openSoundDatabase({ path, schema, version: 1, onDamage: () => {} }).close()
  const open = (wrong: string) => () =>
    openSoundDatabase({ path, schema: wrong, version: 1, onDamage: (message) => expect(message).toBe('') })
  expect(open('CREATE NONSENSE')).toThrow('syntax error')
  expect(existsSync(`${path}.damaged`)).toBe(false)
  openSoundDatabase({ path, schema, version: 1, onDamage: (message) => expect(message).toBe('') }).close()
})
