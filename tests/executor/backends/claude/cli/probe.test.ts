import { afterAll, describe, expect, jest, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchError } from '../../../../../src/domain/error.ts'
import { optionalFlags, requiredFlags } from '../../../../../src/executor/backends/claude/cli/launch.ts'
import {
  isUnusableCli,
  type ProbeOptions,
  probe,
  unusable,
  unusableFailure,
} from '../../../../../src/executor/backends/claude/cli/probe.ts'
import { descendantsOf } from '../../../../support/processes.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-probe-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** What a CLI is found to be that answers these questions so: a script for each, for `sh`. */
async function probed(
  {
    login = 'echo',
    version = good,
    help = ':',
    server = ':',
  }: Partial<Record<'login' | 'version' | 'help' | 'server', string>>,
  options: Partial<ProbeOptions> = {},
) {
  const binary = join(scratch, 'claude')
  const script = `#!/bin/sh
case "$*" in
*status*) ${login} ;;
*--version*) ${version} ;;
*--help*) ${help} ;;
*mcp*) ${server} ;;
esac
`
  writeFileSync(binary, script, { mode: 0o755 })
  return probe({
    ...{ binary, environment: { HOME: scratch, PATH: '/usr/bin:/bin' }, workingDirectory: scratch },
    ...{ auth: 'subscription', offersSearch: async () => true },
    ...options,
  })
}

const good = "echo '2.1.328 (Claude Code)'"
const binary = join(scratch, 'claude')

test.each([
  ['{"loggedIn":true,"authMethod":"claude.ai","subscriptionType":"max"}', true, 'claude.ai', 'max'],
  ['{"loggedIn":true,"authMethod":null}', true, undefined, undefined],
  ['{"loggedIn":true,"authMethod":{"kind":"new"},"subscriptionType":["max"]}', true, undefined, undefined],
  ['{"loggedIn":false,"authMethod":"none"}', false, 'none', undefined],
  ['{"loggedIn":"yes"}', undefined, undefined, undefined],
  ['Signed in.', undefined, undefined, undefined],
])(
  'a login is read from %s, whatever else a newer CLI says of it',
  async (login, signedIn, authMethod, subscription) => {
    const found = await probed({ login: `echo '${login}'` })
    expect([found.signedIn, found.authMethod, found.subscription]).toEqual([signedIn, authMethod, subscription])
  },
)

describe('a CLI', () => {
  test('is described by its version and by those of its flags that csp uses', async () => {
    const flags = [...requiredFlags.slice(1), ...optionalFlags]
    const lines = [...flags, `${requiredFlags[0]}-more <n>`, `no${optionalFlags[0]}`, '--new']
    expect(await probed({ help: lines.map((line) => `echo ' -x, ${line} <value>'`).join('; ') })).toEqual({
      ...{ binary, version: '2.1.328', direct: true },
      flags: { known: new Set(flags), missing: requiredFlags.slice(0, 1) },
      problem: expect.stringContaining(`(2.1.328) is too old: it lacks ${requiredFlags[0]}. Update it`),
    })
    const all = await probed({ help: `echo '${[...requiredFlags].join(', ')}'` })
    expect([all.problem, all.flags.missing, all.flags.known.size]).toEqual([undefined, [], requiredFlags.length])
  })

  test('that does not tell its flags is believed to have them', async () => {
    const { problem, flags } = await probed({})
    expect([problem, flags.missing]).toEqual([undefined, []])
  })

  test('cannot be used where it is too old or another program, which its first words explain', async () => {
    expect((await probed({ version: 'echo 2.1.128' })).problem).toContain('(2.1.128) is too old: below')
    const other = await probed({ version: "printf '\n  No such library.\nNo hope' >&2" })
    expect(other).toMatchObject({ binary, version: undefined })
    expect(other.problem).toStartWith(`${binary} does not run as the Claude Code CLI. No such library. Update it`)
    const silent = await probed({ version: 'echo hello' })
    expect(silent.problem).toStartWith(`${binary} does not run as the Claude Code CLI. Update it`)
  })

  test('cannot be used where it cannot be started or is not there, which costs no process', async () => {
    const missing = join(scratch, 'missing')
    const { problem } = await probed({}, { binary: missing })
    expect(problem).toStartWith(`${missing} does not run as the Claude Code CLI.`)
    const none = { ...unusable(''), problem: expect.stringContaining('is not installed. `csp login`') }
    expect(none.direct).toBe(false)
    expect(await probed({}, { binary: undefined })).toEqual(none)
    const named = await probed({}, { binary: undefined, named: '/etc/motd' })
    expect(named.problem).toStartWith('/etc/motd is not a program')
  })

  test('that does not end is stopped after ten seconds', async () => {
    jest.useFakeTimers()
    let isOver = false
    const probing = probed({ version: 'exec sleep 1000', login: 'exec sleep 1000' }).finally(() => {
      isOver = true
    })
    try {
      jest.advanceTimersByTime(9999)
      await new Promise(setImmediate)
      expect(isOver).toBe(false)
      jest.advanceTimersByTime(1)
    } finally {
      jest.useRealTimers()
    }
    const { problem, signedIn } = await probing
    expect(problem).toContain('does not answer: it ran for 10 s without output')
    expect(signedIn).toBeUndefined()
  })

  test.each([true, false])('is stopped where its probe is, also where it was before: %p', async (isBefore) => {
    const leaving = new AbortController()
    if (isBefore) leaving.abort()
    const probing = probed({ version: 'exec sleep 1000' }, { signal: leaving.signal })
    leaving.abort()
    expect((await probing).problem).toContain('does not run as')
  })
})

describe('whether WebSearch is offered over MCP', () => {
  const [hello, list] = [
    { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'claude', version: '1' } },
    (name: string) => ({ tools: [{ name, inputSchema: { type: 'object' } }] }),
  ]
  const reply = (id: number, result: object) => `echo '${JSON.stringify({ jsonrpc: '2.0', id, result })}'`
  /** A server that takes a moment to end. */
  const serves = (name: string) => `echo $$ > ${join(scratch, 'pid')}; trap 'sleep 0.2; exit' TERM
while read -r line; do case $line in
  *'"initialize"'*) ${reply(0, hello)} ;;
  *'"tools/list"'*) ${reply(1, list(name))} ;;
esac; done`

  test.each([
    ['WebSearch', serves('WebSearch'), true],
    ['other tools', serves('Bash'), false],
    ['nothing', 'exit 1', false],
  ])('is asked of a server, which has ended then: %s', async (_, serve, direct) => {
    expect((await probed({ server: serve }, { offersSearch: undefined })).direct).toBe(direct)
    if (serve === 'exit 1') return
    const server = Number(readFileSync(join(scratch, 'pid'), 'utf8'))
    expect(descendantsOf(process.pid).map(({ pid }) => pid)).not.toContain(server)
  })

  test('is otherwise what csp knows; a failure means no', async () => {
    expect((await probed({}, { offersSearch: async () => false })).direct).toBe(false)
    expect((await probed({}, { offersSearch: () => Promise.reject(new Error('Oh no')) })).direct).toBe(false)
  })
})

test('a failure because of the installed CLI is known as one, however deep it lies', () => {
  const failure = unusableFailure('It is too old.')
  expect(failure).toMatchObject({ code: 'unavailable', message: 'It is too old.' })
  const within = (cause: unknown) => new SearchError('failed', 'Oh no', { cause })
  const failures = [failure, within(failure), within(within(failure)), within(undefined), within(within('It'))]
  expect(failures.map(isUnusableCli)).toEqual([true, true, true, false, false])
})
