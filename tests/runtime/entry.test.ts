import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { main } from '../../src/runtime/cli/main.ts'
import { freePort } from '../support/free-port.ts'
import { testNeeding } from '../support/needs.ts'
import { descendantsOf, killListed } from '../support/processes.ts'
import { type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { testShell } from './test-shell.ts'

const entry = join(import.meta.dir, '..', '..', 'src', 'runtime', 'entry.ts')

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

const said = 'secret-query-of-a-caller'

/** Starts csp so that something of this kind goes wrong as soon as it says this word in its log. */
function startFaulty(fault: string, args: readonly string[], word = 'listening', shell: readonly string[] = []) {
  const preload = join(home.path, 'preload.ts')
  const scratch = join(home.path, 'scratch')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(
    preload,
    `const write = process.stderr.write.bind(process.stderr)
    const fail = (code = 'EODD') => { throw Object.assign(new TypeError('${said}\\n at once ${said}:1'), { code }) }
    let failed = false
    process.stderr.write = (text, ...rest) => {
      if (!failed && String(text).includes('${word}')) { failed = true; ${fault} }
      return write(text, ...rest)
    }`,
  )
  const child = Bun.spawn([...shell, process.execPath, '--preload', preload, entry, ...args], {
    env: { HOME: home.path, TMPDIR: scratch },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return { child, scratch }
}

const serves = ['serve', '--port', '0', '--sandbox']

test('an uncaught exception ends the server with 1 and removes its scratch folder', async () => {
  const { child, scratch } = startFaulty('setTimeout(fail)', serves)
  const log = await textOf(child.stderr)
  expect(await child.exited).toBe(1)
  expect(log).toMatch(/^csp has crashed: TypeError EODD at .*preload\.ts:2:\d+/m)
  expect(log).not.toContain(said)
  expect(readdirSync(scratch)).toEqual([])
})

test.each([
  ['an unhandled rejection', 'setTimeout(async () => fail())', 'EODD'],
  ['that no more files can be opened', "setTimeout(() => fail('EMFILE'))", 'EMFILE'],
  ['that the system can open no more files', "setTimeout(() => fail('ENFILE'))", 'ENFILE'],
])('%s is reported, and the server keeps running', async (_what, fault, errno) => {
  const { child } = startFaulty(fault, serves)
  const decoder = new TextDecoder()
  let log = ''
  for await (const bytes of child.stderr) {
    log += decoder.decode(bytes, { stream: true })
    if (/goes on after an error: .*\n/.test(log) && /listening on \S+/.test(log)) break
  }
  const url = /http:\/\/[\d.:]+/.exec(log)?.[0]
  expect((await fetch(`${url}/v1/models`)).status).toBe(200)
  expect(log).toMatch(new RegExp(`^csp goes on after an error: TypeError ${errno} at .*preload\\.ts:2:\\d+`, 'm'))
  expect(log).not.toContain(said)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test.each(["fail('EMFILE')", 'Promise.resolve().then(() => fail())'])(
  'such an error ends with 1 a command that serves nobody: %s',
  async (fault) => {
    const { child } = startFaulty(`queueMicrotask(() => ${fault})`, ['frobnicate'], 'frobnicate')
    expect(await textOf(child.stderr)).toMatch(/^csp has crashed: TypeError E/m)
    expect(await child.exited).toBe(1)
  },
)

const hasFullDevice = existsSync('/dev/full')

testNeeding('/dev/full', hasFullDevice)('a server whose log is on a full disk goes on', async () => {
  const log = openSync('/dev/full', 'w')
  const port = freePort()
  const child = Bun.spawn([process.execPath, entry, 'serve', '--port', port, '--sandbox'], {
    env: { HOME: home.path, TMPDIR: home.path },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const models = () => fetch(`http://127.0.0.1:${port}/v1/models`).then(({ status }) => status)
  await eventually(async () => (await models().catch(() => 0)) === 200)
  expect(await models()).toBe(200)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

testNeeding('/dev/full', hasFullDevice)('a command whose output is on a full disk says so and fails', async () => {
  const output = openSync('/dev/full', 'w')
  const child = Bun.spawn([process.execPath, entry, '--help'], { env: {}, stdio: ['ignore', output, 'pipe'] })
  closeSync(output)
  expect(await textOf(child.stderr)).toMatch(/^The output could not be written: ENOSPC/)
  expect(await child.exited).toBe(1)
})

test('a reader that closes the output early causes no error', async () => {
  const child = Bun.spawn([process.execPath, entry, '--help'], { env: {}, stdout: 'pipe', stderr: 'pipe' })
  await child.stdout.cancel()
  expect(await textOf(child.stderr)).toBe('')
  expect(await child.exited).toBe(0)
})

const environment = () => ({ HOME: home.path, TMPDIR: home.path, PATH: '/usr/bin:/bin' })

/** What csp prints and says, and how it ends. */
async function run(...args: readonly string[]) {
  const child = Bun.spawn([process.execPath, entry, ...args], { env: environment(), stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaints, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited])
  return { printed, complaints, code }
}

test.each([
  ['completions zsh', ['completions', 'zsh']],
  ['completions zsh behind a flag', ['--config', 'config.json', 'completions', 'zsh']],
])('a slow reader gets the whole of a long output, of %s', async (_, args) => {
  writeFileSync(join(home.path, 'config.json'), '{}')
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  await main(args, shell)
  // A server would not wait that long for the reader of its log.
  const script = '"$0" "$@" | (read -r first; sleep 1.5; echo "$first"; cat)'
  const child = Bun.spawn(['/bin/sh', '-c', script, process.execPath, entry, ...args], {
    cwd: home.path,
    env: environment(),
    stdout: 'pipe',
  })
  const text = await textOf(child.stdout)
  // More than a pipe holds.
  expect(text.length).toBeGreaterThan(65_536)
  expect(text.slice(-200)).toBe(shell.printed().slice(-200))
})

test('a value with a space is no question: csp serves', async () => {
  const state = join(home.path, 'my state')
  const child = Bun.spawn([process.execPath, entry, `--state-dir=${state}`, '--sandbox', '--port', '0'], {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const decoder = new TextDecoder()
  let log = ''
  for await (const bytes of child.stderr) {
    log += decoder.decode(bytes, { stream: true })
    if (log.includes('listening on')) break
  }
  expect(log).toContain('listening on')
  expect(existsSync(state)).toBe(true)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('a question in quotes may stand behind flags', async () => {
  const { printed, code } = await run('--sandbox', '--backends', 'messages', 'how do bees dance')
  expect(code).toBe(0)
  expect(printed).toContain('Honey bees dance to tell their nestmates where food is.')
})

test.each([
  [['bees'], 'csp ask "bees"'],
  [['receipts'], 'csp ask "receipts"'],
  [['how', 'do', 'bees', 'dance'], 'csp ask "how do bees dance"'],
])('a question without quotes is refused, and how to ask it is said: %j', async (args, call) => {
  const { complaints, code } = await run(...args)
  expect(code).toBe(2)
  expect(complaints).toContain(call)
})

test('the help of a command may be asked for before it', async () => {
  const { printed, code } = await run('--help', 'serve')
  expect([printed, code]).toEqual([(await run('serve', '--help')).printed, 0])
  expect(printed).toContain('csp serve [FLAGS]')
})

test('a server ends all the same where its log is not read any more', async () => {
  const code = join(home.path, 'code')
  const script = `("$0" "$@" 2>&1; echo $? > '${code}') | sleep 60`
  const fault = "write('x'.repeat(200_000)); process.kill(process.pid, 'SIGTERM')"
  const { child } = startFaulty(fault, serves, 'listening', ['/bin/sh', '-c', script])
  await eventually(() => existsSync(code) && readFileSync(code, 'utf8') === '0\n')
  for (const { pid } of descendantsOf(child.pid)) killListed(pid)
  await child.exited
})
