import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LearnedCapabilities } from '@csp/gateway/translation/capabilities'
import { main } from '../../../../src/runtime/cli/main.ts'
import { capabilityFile } from '../../../../src/runtime/server/capability-file.ts'
import { testShell } from '../../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-show-models-'))
afterAll(() => rmSync(home, { recursive: true }))

async function csp(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const shell = testShell({ environment: { HOME: home, ...variables }, directory: home })
  expect(await main(args, shell)).toBe(0)
  return shell.printed()
}

/** Without it csp is a gateway alone, and has no names of its own. */
const withClaude = { CSP_CLAUDE_BIN: process.execPath, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-invented' }

const CSP_GATEWAY = JSON.stringify([
  { name: 'local', url: 'http://127.0.0.1:9/v1', models: { '*opus*': ['big', 'small'], 'chat-*': 'small' } },
])

test('csp status --models lists what each name stands for, the gateway first', async () => {
  const { models, learned } = JSON.parse(await csp(['status', '--models', '--json'], { CSP_GATEWAY, ...withClaude }))
  expect(learned).toEqual([])
  expect(models.slice(0, 3)).toEqual([
    { name: '*opus*', served_by: 'local', as: 'big, else small' },
    { name: 'chat-*', served_by: 'local', as: 'small' },
    { name: 'local/*', served_by: 'local', as: '*' },
  ])
  const own = Object.fromEntries(
    models.slice(3).map(({ name, served_by, as }: Record<string, string>) => [name, [served_by, as]]),
  )
  expect(own).toMatchObject({
    sonar: ['csp', 'fast search, written by sonnet'],
    'sonar-reasoning': ['csp', 'deep search, written by sonnet'],
    'chat-haiku': ['csp', 'haiku, without a search'],
    opus: ['csp', "standard search, written by opus, but on /v1/messages the gateway's"],
  })
  expect(Object.keys(own).filter((name) => name.includes('*'))).toEqual([])
})

test('without a gateway they are the names of csp, in a table, and what was learned of models stands below', async () => {
  const plain = await csp(['status', '--models'])
  expect(plain).toMatch(/^NAME +SERVED BY +AS\nsonar +csp +fast search, written by sonnet\n/)
  expect(plain).not.toContain("the gateway's")
  expect(plain).not.toContain('LEARNED')
  const learned = new LearnedCapabilities({
    store: capabilityFile(join(home, '.local/state/csp')),
    now: () => Date.now(),
  })
  const at = { baseUrl: 'http://a.example/v1' }
  await learned.learn({ ...at, model: 'big', refused: ['temperature', 'max_tokens>500'] })
  await learned.learn({ ...at, model: 'small', refused: [] })
  const [, table = ''] = (await csp(['status', '--models'])).split('\n\n')
  expect(table.split('\n')).toEqual([
    expect.stringMatching(/^LEARNED ABOUT +AT +REFUSES +UNTIL$/),
    expect.stringMatching(/^big +http:\/\/a\.example\/v1 +temperature, max_tokens>500 +20\d\d-\d\d-\d\d$/),
    expect.stringMatching(/^small +http:\/\/a\.example\/v1 +nothing +20\d\d-\d\d-\d\d$/),
    '',
  ])
  const { learned: json } = JSON.parse(await csp(['status', '--models', '--json']))
  expect(json).toMatchObject([
    { model: 'big', url: 'http://a.example/v1', refuses: ['temperature', 'max_tokens>500'] },
    { model: 'small', refuses: [], until: expect.stringMatching(/^20.*Z$/) },
  ])
  await csp(['memory', 'clear', 'models'])
  expect(await csp(['status', '--models'])).toBe(plain)
})
