import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { setup } from '../../../../src/runtime/cli/setup/setup.ts'
import { testShell } from '../../test-shell.ts'

// What csp setup edge makes of what wrangler says. The steps themselves are in tests/edge/setup.test.ts.

const scratch = mkdtempSync(join(tmpdir(), 'csp-edge-words-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const id = '0123456789abcdef0123456789abcdef'
const usual = {
  '--version': "echo ' ⛅️ wrangler 4.1.0 (update available 5.0.0)'",
  whoami: `echo '{"loggedIn":true}'`,
  'kv namespace list': `echo 'Some words first'; echo '[{"id":"${'f'.repeat(32)}","title":"other"},{"id":"${id}","title":"csp-cache"}]'`,
  deploy: "echo 'See https://developers.cloudflare.com'; echo 'Deployed to https://mine.me.workers.dev'",
  'secret list': "echo '[]'",
  'secret bulk': 'cat >/dev/null',
}

/** Runs `csp setup edge` where wrangler answers these calls otherwise. */
async function edge(script: Readonly<Record<string, string>>, args: readonly string[] = ['--yes']) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const cases = Object.entries({ ...usual, ...script }).map(([call, body]) => `'${call}'*) ${body} ;;`)
  const text = `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$*" >>'${home}/calls'\ncase "$*" in ${cases.join('\n')} esac\n`
  writeFileSync(join(bin, 'wrangler'), text, { mode: 0o755 })
  const shell = testShell({ environment: { HOME: home, PATH: bin }, directory: home, reply: 'y' })
  const code = await runCommand(setup, ['edge', ...args], shell)
  const calls = readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n')
  const folder = join(home, '.config/csp/edge')
  return { code, printed: shell.printed(), complaints: shell.complaints(), calls, folder }
}

test('the Worker is deployed to the address that wrangler prints, where it leaves no report', async () => {
  const { code, printed, complaints, folder } = await edge({}, [])
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  const file = join(folder, 'wrangler.toml')
  const [key = ''] = /csp_[\w-]+/.exec(printed) ?? []
  expect(printed.split('\n')).toEqual([
    ...['✓ wrangler 4.1.0 (wrangler)', '✓ signed in to Cloudflare'],
    'This creates or updates a Worker "csp-edge" with two Durable Object classes and a KV namespace "csp-cache".',
    'Continue? [y/N] ✓ KV namespace csp-cache, which existed',
    `✓ deployed to https://mine.me.workers.dev; its settings are in ${file}`,
    '✓ secrets set: CSP_API_KEYS, CSP_CONNECT_SECRET',
    ...['', 'On this machine, to let searches run here:', '  csp connect https://mine.me.workers.dev'],
    ...['In your clients:', '  base URL https://mine.me.workers.dev, bare or with /v1'],
    ...[`  key      ${key}   (shown this once)`, 'Try it:'],
    `  curl 'https://mine.me.workers.dev/v1/search?q=hello' -H 'Authorization: Bearer ${key}'`,
    '',
  ])
  expect(readFileSync(file, 'utf8')).toContain(`id = "${id}"`)
})

test('the report of wrangler wins, and does not stay', async () => {
  const report = `echo '{"targets":["https://search.example.org"]}' >"$WRANGLER_OUTPUT_FILE_PATH"; ${usual.deploy}`
  const { printed, folder } = await edge({ deploy: report })
  expect(printed).toContain('csp connect https://search.example.org\n')
  expect(existsSync(join(folder, 'deploy.ndjson'))).toBe(false)
})

test('a deploy without an address fails with what wrangler said', async () => {
  // It sends no metrics of what csp has it do.
  const { code, complaints } = await edge({ deploy: 'echo "  Done, metrics: $WRANGLER_SEND_METRICS. "' })
  expect({ code, complaints }).toEqual({
    ...{ code: 1 },
    complaints: expect.stringMatching(/address.*\nDone, metrics: false\.\n$/),
  })
})

test.each([
  [`echo '{"loggedIn":true,"email":"a@example.org"}'`, 'signed in to Cloudflare as a@example.org\n'],
  [`echo '{"email":5}'`, 'signed in to Cloudflare\n'],
  [`echo '{"loggedIn":false,"email":"a@example.org"}'`, undefined],
  [`echo '{"loggedIn":true}'; exit 1`, undefined],
  ['echo null', undefined],
  ['echo Hello', undefined],
])('who is signed in is read from %s', async (whoami, said) => {
  const { code, printed, complaints, calls } = await edge({ whoami, deploy: 'exit 1' })
  expect(code).toBe(1)
  if (said === undefined) expect(complaints).toContain('Not signed in')
  else expect(printed).toContain(said)
  expect(calls.some((call) => call.startsWith('kv'))).toBe(said !== undefined)
  // With --yes nobody is there for a browser.
  expect(calls).not.toContain('login')
})

test.each([
  ['[]', 'the namespace is not listed'],
  [`[{"id":"${id}0","title":"csp-cache"}]`, 'its id is none'],
  ['no list', 'nothing is listed'],
])('a namespace that was created and is not there (%s: %s) is not used', async (list) => {
  const { code, complaints, calls } = await edge({ 'kv namespace list': `echo '${list}'` })
  expect({ code, complaints }).toEqual({
    ...{ code: 1 },
    complaints: expect.stringContaining('csp-cache'),
  })
  expect(calls.slice(2)).toEqual(['kv namespace list', 'kv namespace create csp-cache', 'kv namespace list'])
})

test('a step that fails shows the last twelve lines of what wrangler complains of, else of its output', async () => {
  const lines = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo "line $n"; done'
  const last = Array.from({ length: 12 }, (_, index) => `line ${index + 3}`).join('\n')
  const said = expect.stringContaining(`:\n${last}\n`)
  expect(await edge({ 'secret list': `echo out; { ${lines}; } >&2; exit 1` })).toMatchObject({
    code: 1,
    complaints: said,
  })
  expect(await edge({ 'secret list': `{ ${lines}; }; exit 1` })).toMatchObject({ code: 1, complaints: said })
})

test('--dry-run builds in a folder that goes, names the Worker, and says so where wrangler names no size', async () => {
  const { code, printed, calls, folder } = await edge({ deploy: 'echo Built.' }, ['--dry-run', '--name', 'mine'])
  expect([code, existsSync(folder)]).toEqual([0, false])
  expect(printed).toContain('✓ the Worker builds: size unknown compressed\n')
  expect(printed).toContain('the Worker mine\n')
  const [, file = ''] = /--config (\S+)$/.exec(calls[1] ?? '') ?? []
  expect(file).toContain('csp-edge-')
  expect(existsSync(file)).toBe(false)
})
