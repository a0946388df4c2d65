import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  cacheNames,
  configurationNames,
  type OwnNames,
  ownFilesIn,
  removeOwn,
  stateNames,
  transpiledNames,
} from '../../../src/runtime/cli/own-files.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-own-files-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function folderWith(files: readonly string[] | Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(scratch, 'folder-'))
  for (const [name, text] of Array.isArray(files) ? files.map((file) => [file, 'x'] as const) : Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const hash = 'a'.repeat(64)
const halfWritten = '.12-0123abcd-3.tmp'
const own: readonly (readonly [string, OwnNames, readonly string[], readonly string[]])[] = [
  [
    'state',
    stateNames,
    [
      ...[
        'run/1.json',
        'run/1-a.json',
        'run/1.holders/2.json',
        'log/csp.log',
        'log/csp.log.1',
        'usage/2026-01-02.ndjson',
      ],
      ...[
        `receipts/${'b'.repeat(32)}.json`,
        `receipts/pages/${hash}.md`,
        'jobs/jobs.sqlite',
        'watches/watches.sqlite-wal',
      ],
      ...['memory/memory.sqlite.damaged', '.doctor-disk-7', `run/1.json${halfWritten}`],
    ],
    [
      'run/one.json',
      'log/other.log',
      'usage/2026.ndjson',
      'jobs/notes.txt',
      'csp.log',
      'other/1.json',
      'run/1.json.tmp',
    ],
  ],
  [
    'cache',
    cacheNames,
    [`v1/aa/${hash}.json`, `pages/v2/aa/${hash}.json`, `v1/aa/${hash}.json${halfWritten}`, '.doctor-7'],
    [`v1/${hash}.json`, `v1/aa/${hash}.txt`, `other/aa/${hash}.json`],
  ],
  ['transpiled sources', transpiledNames, ['0af.pile', '0af.debug.pile'], ['notes.pile', 'below/0af.pile']],
  [
    'configuration',
    configurationNames,
    [
      ...['config.json', 'keys.json', 'keys.json.lock', 'config.json.lock.leftover/7', 'config.schema.json'],
      ...['edge/wrangler.toml', 'edge/.wrangler/state/x', 'keys.json.damaged'],
    ],
    ['other.json', 'edge/notes.txt', 'config.json.bak'],
  ],
]

test.each(own)('of the folder of the %s csp takes its own files alone', async (_, names, files, foreign) => {
  const folder = folderWith([...files, ...foreign])
  expect(ownFilesIn(folder, names).toSorted()).toEqual(files.map((name) => join(folder, name)).toSorted())
  await removeOwn(folder, names)
  for (const name of files) expect(existsSync(join(folder, name))).toBe(false)
  for (const name of foreign) expect(existsSync(join(folder, name))).toBe(true)
  // Without files of others nothing is left, nor is the folder.
  const alone = folderWith(files)
  await removeOwn(alone, names)
  expect(existsSync(alone)).toBe(false)
})

test('links are followed no more than removed', async () => {
  const elsewhere = folderWith(['1.json', 'csp.log'])
  const folder = folderWith(['log/csp.log'])
  symlinkSync(elsewhere, join(folder, 'run'))
  symlinkSync(join(elsewhere, 'csp.log'), join(folder, 'log/csp.log.1'))
  expect(ownFilesIn(folder, stateNames)).toEqual([join(folder, 'log/csp.log')])
  await removeOwn(folder, stateNames)
  expect(readdirSync(elsewhere).toSorted()).toEqual(['1.json', 'csp.log'])
  expect(readdirSync(folder).toSorted()).toEqual(['log', 'run'])
})

test.each([
  ['format.json', '{"version": 1, "written-by": "1.2.3"}', true],
  ['format.json', ' \n', true],
  ['format.json', '{}', true],
  ['format.json', '{"version": 1, "colour": "red"}', false],
  ['format.json', '[]', false],
  ['format.json', 'version: 1', false],
  ['update.json', '{"checkedAt": 1, "latest": "1"}', true],
  ['update.json', '{"version": 1}', false],
  ['gateway/models.json', '{"version": 1, "models": {}}', true],
  ['gateway/models.json', '{"latest": 1}', false],
])('%s with %j is a file of csp: %p', (name, text, isOwn) => {
  const folder = folderWith({ [name]: text })
  expect(ownFilesIn(folder, stateNames)).toEqual(isOwn ? [join(folder, name)] : [])
})

test('a folder that is not there, or is a file, has none', async () => {
  const folder = folderWith(['a-file'])
  for (const name of ['a-file', 'missing']) {
    expect(ownFilesIn(join(folder, name), stateNames)).toEqual([])
    await removeOwn(join(folder, name), stateNames)
  }
  expect(readdirSync(folder)).toEqual(['a-file'])
})
