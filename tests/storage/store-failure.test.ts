import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchError } from '../../src/domain/error.ts'
import { withStoreFailures } from '../../src/storage/store-failure.ts'
import { testStore } from '../support/job-database.ts'

function failureOf(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof SearchError ? [error.code, error.message] : error
  }
}

test('a folder that cannot be made is said in words, without its path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-store-'))
  writeFileSync(join(folder, 'jobs'), '')
  const path = join(folder, 'jobs', 'jobs.sqlite')
  expect(failureOf(() => withStoreFailures(() => testStore(path)))).toEqual([
    'unavailable',
    'The state folder of csp cannot be used: a file is where a folder should be.',
  ])
})

test('what fails later is said as well, and a mistake of ours stays one', () => {
  const mistake = new TypeError('undefined is not a function')
  const store = withStoreFailures(() => ({
    list: () => ['a'],
    add() {
      throw Object.assign(new Error('attempt to write a readonly database'), { code: 'SQLITE_READONLY' })
    },
    remove() {
      throw mistake
    },
  }))
  expect(store.list()).toEqual(['a'])
  expect(failureOf(() => store.add())).toEqual([
    'unavailable',
    'The state folder of csp cannot be used: attempt to write a readonly database.',
  ])
  expect(failureOf(() => store.remove())).toBe(mistake)
})
