import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import {
  aboutFetch,
  fetchClaude,
  fetchedClaudeFolder,
  fetchedClaudeFolders,
} from '../../../src/runtime/server/fetched-claude.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-fetched-'))
afterAll(() => rmSync(scratch, { recursive: true }))

test.each([
  [{ HOME: '/home/me' }, '/home/me/.local/share/csp/claude-code'],
  [{ HOME: '/home/me', XDG_DATA_HOME: '/data' }, '/data/csp/claude-code'],
  [{ HOME: '/home/me', XDG_DATA_HOME: 'data' }, '/home/me/.local/share/csp/claude-code'],
  [{ HOME: 'me', XDG_DATA_HOME: '' }, undefined],
  [{}, undefined],
])('with %j a fetched CLI lies in %p', (environment, folder) => {
  const of = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  expect(fetchedClaudeFolder(environment)).toBe(folder)
  const folders = folder === undefined ? [] : [of, `${of}-musl`].map((name) => join(folder, 'node_modules', name))
  expect(fetchedClaudeFolders(environment)).toEqual(folders)
})

/** A folder to fetch into, with an npm on PATH that is this script. */
function machine(script: string) {
  const bin = mkdtempSync(join(scratch, 'bin-'))
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  return { bin, folder: join(bin, 'new/folder') }
}

test('npm fetches the CLI without scripts of packages, with its node on PATH and without secrets', async () => {
  const { bin, folder } = machine('echo "$@" > asked; echo "$PATH" >> asked; env | grep SECRET >> asked; exit 0')
  const environment = { PATH: `${bin}:/bin:/usr/bin`, CSP_NODE: '/of/node', MY_SECRET: 'x' }
  expect(await fetchClaude(folder, environment)).toBeUndefined()
  const version = manifest.dependencies['@anthropic-ai/claude-code']
  const flags = '--ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error'
  expect((await Bun.file(join(folder, 'asked')).text()).trimEnd().split('\n')).toEqual([
    `install --prefix ${folder} ${flags} @anthropic-ai/claude-code@${version}`,
    `${bin}:/bin:/usr/bin:/of`,
  ])
  expect(aboutFetch('/there')).toBe(
    `@anthropic-ai/claude-code ${version} from npm into /there: some 170 MB to download, 370 MB on disk`,
  )
})

test.each([
  ['echo a; for each in b c "npm error d "; do echo "$each" >&2; done; exit 1', 'b c npm error d'],
  ['exit 7', 'npm was stopped.'],
  ['kill -9 $$', 'npm was stopped.'],
])('an npm that ends by %p leaves nothing, and says why', async (script, said) => {
  const { bin, folder } = machine(script)
  mkdirSync(folder, { recursive: true })
  expect(await fetchClaude(folder, { PATH: `${bin}:/bin` })).toBe(said)
  expect(existsSync(folder)).toBe(false)
})

test('a machine without npm says so', async () => {
  const folder = join(scratch, 'none')
  expect(await fetchClaude(folder, { PATH: '' })).toBe('npm is not on PATH.')
  expect(existsSync(folder)).toBe(false)
})
