import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type MessagesServer, messagesServer } from '../../../../packages/gateway/test/support/messages-server.ts'
import { runningServers } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { freePort } from '../../../support/free-port.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, realClaude, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { launcher } from '../../../support/tested-program.ts'
import { testShell } from '../../test-shell.ts'

let home: ScratchHome
let upstream: MessagesServer
let environment: Record<string, string>
beforeAll(async () => {
  home = await scratchHome()
  upstream = messagesServer('succeed')
  environment = {
    ...claudeEnvironment('http://127.0.0.1:9', home.path),
    TMPDIR: home.path,
    CSP_CLAUDE_BIN: standInClaude(),
    CSP_PORT: freePort(),
    OPENAI_BASE_URL: upstream.url,
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'big',
  }
})
afterAll(async () => {
  await csp('stop', '--all', '--force')
  await upstream.stop()
  await home[Symbol.asyncDispose]()
})

async function csp(...args: readonly string[]) {
  const child = Bun.spawn(['node', launcher, ...args], {
    env: environment,
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { output, errors, code: await child.exited }
}

describe('csp run', () => {
  test('starts csp, sets the variables, and ends with the exit code of the program', async () => {
    const script =
      'echo "$ANTHROPIC_DEFAULT_OPUS_MODEL|$ANTHROPIC_API_KEY|$CLAUDE_CODE_ATTRIBUTION_HEADER|$ANTHROPIC_BASE_URL"; exit 7'
    const first = await csp('run', '--', 'sh', '-c', script)
    const [server] = await runningServers(join(home.path, '.local/state/csp'))
    expect(first).toMatchObject({ code: 7, output: `local/big||0|${server?.url}\n` })
    const again = await csp('run', '--', 'sh', '-c', 'kill -TERM $$')
    expect(again.code).toBe(143)
    const [still] = await runningServers(join(home.path, '.local/state/csp'))
    expect(still?.pid).toBe(server?.pid)
  }, 60_000)

  test.each([
    ['SIGTERM', 'TERM', 5],
    ['SIGINT', 'INT', 6],
  ] as const)(
    'without a terminal passes %s on, and ends as the program does',
    async (signal, name, code) => {
      const script = `trap 'exit ${code}' ${name}; echo ready; while :; do sleep 0.05; done`
      const child = Bun.spawn(['node', launcher, 'run', '--', 'sh', '-c', script], {
        env: environment,
        cwd: home.path,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const { value } = await child.stdout.getReader().read()
      expect(new TextDecoder().decode(value)).toBe('ready\n')
      child.kill(signal)
      expect(await child.exited).toBe(code)
    },
    60_000,
  )

  test('on a terminal leaves Ctrl-C to the program, which gets it once', async () => {
    const script =
      "let n = 0; process.on('SIGINT', () => n++); console.log('ready'); setTimeout(() => process.exit(n), 1000)"
    let shown = ''
    const child = Bun.spawn(['node', launcher, 'run', '--', 'node', '-e', script], {
      env: environment,
      cwd: home.path,
      terminal: {
        data(terminal, bytes) {
          const wasReady = shown.includes('ready')
          shown += new TextDecoder().decode(bytes)
          if (!wasReady && shown.includes('ready')) terminal.write('\x03')
        },
      },
    })
    expect(await child.exited).toBe(1)
  }, 60_000)

  test('gives Claude Code the model behind the name', async () => {
    const { output, errors, code } = await csp('run', '--', realClaude, '-p', 'hello', '--model', 'opus')
    expect({ errors, code }).toMatchObject({ code: 0 })
    expect(output).toContain('You said:')
    const models = upstream.requests.filter(({ body }) => body['stream'] === true).map(({ body }) => body['model'])
    expect(models.length).toBeGreaterThan(0)
    expect(new Set(models)).toEqual(new Set(['big']))
  }, 60_000)

  test('has one model behind all names where one is named, and offers it all tools of Claude Code', async () => {
    const before = upstream.requests.length
    const { code } = await csp('run', '--', realClaude, '-p', 'hello')
    expect(code).toBe(0)
    const bodies = upstream.requests
      .slice(before)
      .flatMap(({ path, body }) => (path.startsWith('/v1/messages?') ? [body] : []))
    expect(new Set(bodies.map((body) => body['model']))).toEqual(new Set(['big']))
    const tools = bodies.flatMap((body) => (Array.isArray(body['tools']) ? body['tools'] : []))
    const names = tools.map((tool) => tool.name)
    for (const name of ['WebSearch', 'WebFetch', 'Bash', 'Read', 'Edit']) expect(names).toContain(name)
    expect(names).not.toContain('ToolSearch')
  }, 60_000)

  test('does not use a csp that runs with other settings', async () => {
    const trace = join(home.path, 'trace.jsonl')
    await csp('run', '--', 'true')
    const { code, errors } = await csp('run', '--gateway-trace', trace, '--', 'true')
    expect(code).toBe(2)
    expect(errors).toContain('with other settings')
    expect(errors).toMatch(/--port \d+ starts one more/)
    const port = freePort()
    expect(await csp('run', '--port', port, '--gateway-trace', trace, '--', 'true')).toMatchObject({ code: 0 })
    expect(await csp('stop', '--port', port)).toMatchObject({ code: 0 })
  }, 60_000)

  test('says that a program is not there, and that no model is', async () => {
    expect(await csp('run', '--', 'no-such-program')).toMatchObject({ code: 127 })
    const shell = testShell({ directory: home.path, environment: { HOME: home.path, PATH: '/usr/bin' } })
    expect(await main(['run', '--', 'true'], shell)).toBe(2)
    expect(shell.complaints()).toContain('csp run needs a model behind the gateway: set OPENAI_BASE_URL')
  }, 60_000)
})
