import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { writeAnswerSettings } from '../../../../src/runtime/background/answer-settings.ts'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { run } from '../../../../src/runtime/cli/run/run.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

// How csp run starts a program where a csp runs already, for which this process stands.

const home = mkdtempSync(join(tmpdir(), 'csp-run-'))
const url = 'http://127.0.0.1:52999'
const token = 't'.repeat(32)
const flags = { sandbox: true, port: '52999' }
const environment = { HOME: home, PATH: '/usr/bin:/bin' }
beforeAll(async () => {
  const { config } = loadConfig(flags, environment, home)
  const settings = writeAnswerSettings({ config, environment, token })
  await announceServer(config.stateDir, {
    url,
    port: 52999,
    version: '1',
    token,
    settings,
    flags: [],
    manager: 'background',
  })
})
afterAll(() => rmSync(home, { recursive: true }))

function start(script: string, options: Partial<TestShellOptions> = {}, more: readonly string[] = []) {
  const shell = testShell({ directory: home, ...options, environment: { ...environment, ...options.environment } })
  const words = ['--sandbox', '--port', '52999', ...more, '--', 'sh', '-c', script]
  return { shell, ended: runCommand(run, words, shell) }
}

describe('csp run beside a csp with the same settings', () => {
  test('starts the program in this folder, with what a client of the gateway needs, and ends with its exit code', async () => {
    const { ended, shell } = start('pwd >where; env >seen; exit 7', { environment: { OWN: 'mine' } })
    expect([await ended, shell.complaints()]).toEqual([7, ''])
    expect(readFileSync(join(home, 'where'), 'utf8').trim()).toEndWith(home)
    const seen = readFileSync(join(home, 'seen'), 'utf8').split('\n')
    for (const line of [
      ...['OWN=mine', `ANTHROPIC_BASE_URL=${url}`, `ANTHROPIC_AUTH_TOKEN=${token}`, 'ANTHROPIC_API_KEY='],
      ...['ENABLE_TOOL_SEARCH=false', 'CLAUDE_CODE_ATTRIBUTION_HEADER=0', 'CLAUDE_CODE_SUBAGENT_MODEL=sandbox/sonnet'],
      ...['ANTHROPIC_DEFAULT_OPUS_MODEL=sandbox/opus', 'ANTHROPIC_DEFAULT_HAIKU_MODEL=sandbox/haiku'],
    ])
      expect(seen).toContain(line)
  })

  test('leaves a choice of the user alone, and takes the first of the keys', async () => {
    const chosen = { ENABLE_TOOL_SEARCH: 'auto', CSP_API_KEYS: 'key-1,key-2' }
    expect(await start('env >seen', { environment: chosen }).ended).toBe(0)
    const seen = readFileSync(join(home, 'seen'), 'utf8').split('\n')
    expect(seen).toContain('ENABLE_TOOL_SEARCH=auto')
    expect(seen).toContain('ANTHROPIC_AUTH_TOKEN=key-1')
  })

  test.each([
    ['SIGINT', false, 'SIGINT', 130],
    ['SIGTERM', false, 'SIGTERM', 143],
    ['SIGTERM', true, 'SIGTERM', 143],
    ['SIGHUP', true, 'SIGHUP', 129],
    ['SIGINT', true, undefined, 5],
  ] as const)(
    '%s, on a terminal %p, reaches the program as %p: the exit code is %d',
    async (signal, isTerminal, _, code) => {
      rmSync(join(home, 'ready'), { force: true })
      rmSync(join(home, 'go'), { force: true })
      const { ended, shell } = start('echo >ready; while [ ! -e go ]; do sleep 0.05; done; exit 5', { isTerminal })
      await eventually(() => existsSync(join(home, 'ready')))
      shell.send(signal)
      // The terminal has sent it to the program itself.
      if (code === 5) await Bun.write(join(home, 'go'), '')
      expect(await ended).toBe(code)
    },
  )

  test('says so where there is no such program, and where that csp has other settings', async () => {
    const shell = testShell({ directory: home, environment })
    expect(await runCommand(run, ['--sandbox', '--port', '52999', '--', 'no-such-program', 'x'], shell)).toBe(127)
    expect(shell.complaints()).toBe('There is no program no-such-program on PATH.\n')
    await expect(start('exit 0', {}, ['--gateway-trace', join(home, 'trace.jsonl')]).ended).rejects.toThrow(
      `The csp at ${url} runs with other settings than this terminal has: it runs without gateway-trace, and this terminal says ${join(home, 'trace.jsonl')}. csp restart lets it read them again, and --port 53000 starts one more.`,
    )
  })
})
