import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSandbox } from '../../../../packages/sandbox/test/support/recorded-sandbox.ts'
import { optionalFlags } from '../../../../src/executor/backends/claude/cli/launch.ts'
import { startClaude, strategies, strategyNames } from '../../../support/claude-executor.ts'
import { oddClaude, withoutFlags } from '../../../support/odd-claude.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { scratchHome } from '../../../support/real-claude.ts'

// What a person has set up for their own use of the CLI must neither change a search nor be run by one.
const instructions = 'Always speak of the purple walrus.'
const token = 'sk-ant-oat01-of-csp'
const credentials = new Set<string>()
const sandbox = createSandbox()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    credentials.add(`${request.headers.get('authorization')}, ${request.headers.get('x-api-key')}`)
    return sandbox.fetch(request)
  },
})
const stop = () => server.stop(true)
const on = { url: `http://127.0.0.1:${server.port}`, sandbox, stop, [Symbol.asyncDispose]: stop }
afterAll(stop)

// Without its second locks the CLI has only those that every version has.
const scripts = { 'the CLI': 'exec "$claude" "$@"', 'an older CLI': withoutFlags(optionalFlags) }

/** What every strategy leaves behind, one CLI after the other. */
async function searchWith(script: string) {
  sandbox.reset()
  credentials.clear()
  await using folder = await scratchHome()
  const binary = oddClaude(folder.path, script, quickClaude())
  // What the CLI says of another login than the usual one is not remembered, since a setting may change it.
  const variables = { CLAUDE_CODE_OAUTH_TOKEN: token }
  await using claude = await startClaude({ on, prepare: setUp, findBinary: () => binary, variables })
  for (const strategy of strategyNames) await claude.search('harbour seals', strategies[strategy])
  await claude.executor.close() // so that hooks of the end would have run
  return {
    credentials: [...credentials],
    files: readdirSync(claude.home),
    ownFiles: readdirSync(join(claude.home, '.claude'), { recursive: true, encoding: 'utf8' }),
    requests: sandbox.requests(),
  }
}

const searched = new Map<string, ReturnType<typeof searchWith>>()

/** The same for each test that asks for a script. */
function leftBy(script: string): ReturnType<typeof searchWith> {
  const left = searched.get(script) ?? searchWith(script)
  searched.set(script, left)
  return left
}

test.each(Object.entries(scripts))('no setting of the user affects %s, whatever the strategy', async (_, script) => {
  const left = await leftBy(script)
  expect(left.credentials).toEqual([`Bearer ${token}, null`])
  expect(left.files.filter((name) => name.startsWith('ran-'))).toEqual([])
  expect(left.requests.length).toBe(11)
  expect(left.requests.filter(({ body }) => JSON.stringify(body).includes('purple walrus'))).toEqual([])
  expect([...new Set(left.requests.map(({ body }) => body.model))]).toEqual(['claude-sonnet-5-5'])
  const tools = left.requests.flatMap(({ body }) => body.tools?.map(({ name }) => name) ?? [])
  expect([...new Set(tools)].toSorted()).toEqual(['DeferredToolPlaceholder', 'WebSearch', 'web_search'])
})

test('searches leave no transcript of the CLI', async () => {
  const { ownFiles } = await leftBy(scripts['the CLI'])
  expect(ownFiles.filter((name) => name.endsWith('.jsonl'))).toEqual([])
})

function setUp(home: string): void {
  const touch = (name: string) => `touch '${home}/ran-${name}'; echo sk-ant-of-the-helper`
  const hook = (name: string) => [{ hooks: [{ type: 'command', command: touch(`hook-${name}`) }] }]
  const server = (name: string) => ({ 'a-server': { command: '/bin/sh', args: ['-c', touch(`mcp-${name}`)] } })
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']
  const settings = {
    apiKeyHelper: touch('helper'),
    env: {
      ANTHROPIC_API_KEY: 'sk-ant-of-the-settings',
      ANTHROPIC_MODEL: 'haiku',
      ANTHROPIC_BASE_URL: 'http://[::1]:9',
    },
    model: 'haiku',
    outputStyle: 'Explanatory',
    permissions: { allow: ['Bash'], defaultMode: 'bypassPermissions' },
    enableAllProjectMcpServers: true,
    hooks: Object.fromEntries(events.map((event) => [event, hook(event)])),
  }
  const files = {
    '.claude/settings.json': JSON.stringify(settings),
    '.claude/settings.local.json': JSON.stringify(settings),
    '.claude/CLAUDE.md': instructions,
    '.claude.json': JSON.stringify({
      mcpServers: server('user'),
      projects: { [join(home, 'work')]: { mcpServers: server('local'), hasTrustDialogAccepted: true } },
    }),
    'CLAUDE.md': instructions,
    'work/.claude/settings.json': JSON.stringify(settings),
    'work/.claude/settings.local.json': JSON.stringify(settings),
    'work/.mcp.json': JSON.stringify({ mcpServers: server('project') }),
    'work/CLAUDE.md': instructions,
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), content)
  }
}
