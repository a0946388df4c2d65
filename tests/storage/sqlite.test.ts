import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPrivate } from '../../src/storage/sqlite.ts'

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
