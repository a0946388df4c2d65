import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import manifest from '../../package.json' with { type: 'json' }
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { testNeeding } from '../support/needs.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { launcher } from '../support/tested-program.ts'

/** A folder whose .env, bunfig.toml and tsconfig.json harm a program that runs Bun in it. */
const hostile = mkdtempSync(join(tmpdir(), 'csp-hostile-'))
const node = Bun.which('node') ?? ''
const onlyBun = join(hostile, 'only-bun')

beforeAll(() => {
  writeFileSync(join(hostile, 'preload.ts'), 'console.log("EXECUTED")')
  writeFileSync(join(hostile, 'bunfig.toml'), 'preload = ["./preload.ts"]')
  writeFileSync(join(hostile, '.env'), 'CSP_PORT=666\n')
  writeFileSync(join(hostile, 'tsconfig.json'), '{"compilerOptions":{"paths":{"*":["./preload.ts"]}}}')
  mkdirSync(join(hostile, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(launcher, join(hostile, 'node_modules', '.bin', 'csp'))
  mkdirSync(onlyBun)
  for (const name of ['bun', 'bunx']) symlinkSync(process.execPath, join(onlyBun, name))
})
afterAll(() => rmSync(hostile, { recursive: true }))

function environment(...folders: readonly string[]) {
  return { HOME: hostile, PATH: folders.join(delimiter) }
}

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

async function run(command: readonly string[], env: Readonly<Record<string, string>>) {
  const child = Bun.spawn([...command], { cwd: hostile, env: { ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaints, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited])
  return { printed, complaints, code }
}

describe('.env, bunfig.toml and tsconfig.json of the current folder are not read', () => {
  const linked = join('node_modules', '.bin', 'csp')
  test.each([
    ['by node', [node, launcher], [dirname(node)]],
    ['as a program, with node', [linked], [dirname(node), '/bin']],
    ['as a program, with Bun alone', [linked], [onlyBun]],
    ['by bunx, with node', ['bunx', 'csp'], [onlyBun, dirname(node)]],
    ['by bunx, with Bun alone', ['bunx', 'csp'], [onlyBun]],
    ['by bunx --bun', ['bunx', '--bun', 'csp'], [onlyBun, dirname(node)]],
  ])('when csp is started %s', async (_, [program = '', ...args], folders) => {
    const path = program === 'bunx' ? join(onlyBun, 'bunx') : program
    const { printed, complaints, code } = await run([path, ...args, 'config', '--json'], environment(...folders))
    expect({ complaints, code }).toEqual({ complaints: '', code: 0 })
    expect(JSON.parse(printed)).toMatchObject({ settings: { port: { value: 52_480, origin: 'default' } } })
  })
})

test('the current folder of these tests is hostile: Bun alone reads its .env, bunfig.toml and tsconfig.json', async () => {
  const alone = async (...flags: readonly string[]) =>
    (await run([process.execPath, ...flags, launcher, 'config'], environment(dirname(node)))).printed
  expect(await alone('--tsconfig-override=/dev/null')).toMatch(/EXECUTED.*666/s)
  expect(await alone('--config=/dev/null')).toBe('EXECUTED\n')
})

test.each(['.', `.${delimiter}${onlyBun}`])('with PATH=%s no program of the current folder is found', async (path) => {
  writeFileSync(join(hostile, 'openclaw'), '#!/bin/sh\n', { mode: 0o755 })
  const { complaints } = await run([node, launcher, 'setup', 'openclaw', '--write', '--yes'], environment(path))
  expect(complaints).toContain('nor is openclaw on PATH')
})

test('with PATH=. the CLI finds no program of the current folder either', async () => {
  const cli = join(hostile, 'stub-claude')
  writeFileSync(cli, '#!/bin/sh\ncase "$*" in --version) echo 2.1.328 ;; *) evil; exit 1 ;; esac\n', { mode: 0o755 })
  writeFileSync(join(hostile, 'evil'), '#!/bin/sh\n: > executed\n', { mode: 0o755 })
  const { printed } = await run([node, launcher, 'login'], { ...environment('.'), CSP_CLAUDE_BIN: cli })
  expect(printed).toContain('Still signed out.')
  expect(existsSync(join(hostile, 'executed'))).toBe(false)
})

test('in a folder that was removed meanwhile csp says so, in one line', async () => {
  const script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
  const gone = join(hostile, 'gone')
  const result = await run(
    ['/bin/sh', '-c', script, gone, node, launcher, '--version'],
    environment('/bin', '/usr/bin'),
  )
  const complaints = 'The current folder does not exist any more: call csp in another one.\n'
  expect(result).toEqual({ printed: '', complaints, code: 2 })
})

test('a configuration in the current folder is not read where HOME is not set', async () => {
  mkdirSync(join(hostile, '.config/csp'), { recursive: true })
  writeFileSync(join(hostile, '.config/csp/config.json'), '{"port": 666}')
  const { HOME: _, ...homeless } = environment(dirname(node))
  const { printed, code } = await run([node, launcher, 'config', '--json'], homeless)
  // Asked of a process without HOME: with it, Bun's `userInfo` answers what HOME says.
  const account = await run([node, '-p', 'os.userInfo().homedir'], homeless)
  rmSync(join(hostile, '.config'), { recursive: true })
  expect(code).toBe(0)
  expect(JSON.parse(printed).settings.port.value).not.toBe(666)
  expect(JSON.parse(printed).file.path).toBe(join(account.printed.trim(), '.config/csp/config.json'))
})

test('the launcher passes arguments, exit codes and output through', async () => {
  const { printed, complaints, code } = await run([node, launcher, 'search', ''], environment(dirname(node)))
  expect({ printed, complaints, code }).toEqual({ printed: '', complaints: 'The query is empty.\n', code: 2 })
})

/** For a csp whose searches start no CLI. */
const withoutCli = { CSP_SANDBOX: 'true', CSP_BACKENDS: 'messages' }

describe('signals', () => {
  async function served(env: Readonly<Record<string, string>> = withoutCli) {
    const child = Bun.spawn([node, launcher, 'serve', '--port', '0', '--cache-ttl', '0'], {
      cwd: hostile,
      env: { ...environment(dirname(node)), ...env },
      stdout: 'ignore',
      stderr: 'pipe',
      detached: true,
    })
    const reader = child.stderr.getReader()
    const log = { text: '' }
    const url = await addressIn(reader, log)
    return { child, reader, log, url }
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s to the launcher stops the server with code 0',
    async (signal) => {
      const { child, reader, log, url } = await served()
      child.kill(signal)
      expect(await child.exited).toBe(0)
      await drain(reader, log)
      expect(log.text).toContain(`stopping on ${signal}`)
      expect(await fetch(url).catch(() => 'gone')).toBe('gone')
    },
  )

  test('Ctrl-C in a terminal, which reaches launcher and server, lets a search finish', async () => {
    await using sandbox = startSandbox()
    const { child, reader, log, url } = await served({
      ...claudeEnvironment(sandbox.url, hostile),
      PATH: dirname(node),
      CSP_CLAUDE_BIN: standInClaude(),
    })
    const release = sandbox.hold()
    const reply = fetch(`${url}/v1/search?q=harbour+seals`)
    await sandbox.sandbox.until(({ calls }) => calls > 0)
    process.kill(-child.pid, 'SIGINT')
    await said(/stopping on SIGINT/, reader, log)
    release()
    expect((await reply).status).toBe(200)
    expect(await child.exited).toBe(0)
    await drain(reader, log)
  })

  test('SIGHUP under nohup leaves csp running, and SIGTERM stops it', async () => {
    // As nohup leaves it: no terminal, and both outputs in a file. A shell would send SIGHUP to the whole group.
    const file = join(hostile, 'nohup.out')
    const out = openSync(file, 'w')
    const command = [node, launcher, 'serve', '--port', '0']
    const env = { ...environment(dirname(node)), ...withoutCli }
    const child = Bun.spawn(command, { cwd: hostile, env, stdin: 'ignore', stdout: out, stderr: out, detached: true })
    const address = () => /listening on (http:[^ ,]+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
    await eventually(() => address() !== '')
    process.kill(-child.pid, 'SIGHUP')
    await Bun.sleep(500)
    expect((await fetch(`${address()}/health/live`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('SIGHUP')
  })

  test('SIGTERM to npm start ends csp', async () => {
    const npm = Bun.which('npm') ?? ''
    const child = Bun.spawn([npm, 'start', '--', '--port', '0'], {
      cwd: join(import.meta.dir, '../..'),
      env: { ...environment(dirname(node), dirname(npm), '/bin', '/usr/bin'), ...withoutCli },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const reader = child.stderr.getReader()
    const log = { text: '' }
    const url = await addressIn(reader, log)
    child.kill('SIGTERM')
    await child.exited
    // The pipe ends when the last process that holds it has gone.
    await drain(reader, log)
    expect(await fetch(url).catch(() => 'gone')).toBe('gone')
    expect(log.text).toContain('stopping on SIGTERM')
  })

  test('SIGTERM to npx ends the server too, though the shell between them passes nothing on', async () => {
    const child = Bun.spawn(['sh', '-c', `"${node}" "${launcher}" serve --port 0; exit $?`], {
      cwd: hostile,
      env: { ...environment(dirname(node)), ...withoutCli, npm_command: 'exec' },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const reader = child.stderr.getReader()
    const log = { text: '' }
    const url = await addressIn(reader, log)
    child.kill('SIGTERM')
    await child.exited
    await drain(reader, log)
    expect(await fetch(url).catch(() => 'gone')).toBe('gone')
    expect(log.text).toContain('stopping on SIGTERM')
  })

  test('SIGKILL to the launcher ends the server too', async () => {
    const { child, reader, log, url } = await served()
    child.kill('SIGKILL')
    await child.exited
    // The pipe ends when the last process that holds it has gone.
    await drain(reader, log)
    expect(await fetch(url).catch(() => 'gone')).toBe('gone')
  })
})

describe('where node waits for Bun', () => {
  /** Whether all that Bun has started ends with it. */
  async function endsAll(args: readonly string[], isTerminal: boolean) {
    const file = join(hostile, 'spawn.cjs')
    const code = `delete process.execve
      process.stdout.isTTY = ${isTerminal}
      require('node:child_process').spawn = (_, args) => { process.stdout.write(String(args.includes('--no-orphans'))); process.exit(0) }
      require('node:module').syncBuiltinESMExports()`
    writeFileSync(file, code)
    return (await run([node, '--require', file, launcher, ...args], environment(dirname(node)))).printed
  }

  test.each([
    ['a server', ['serve'], true, 'true'],
    ['a server that no terminal has', [], false, 'true'],
    ['csp init, which csp alone may be on a terminal', [], true, 'false'],
    ['what opens a browser', ['status', '--open'], true, 'false'],
    ['what opens a browser, in short', ['open'], true, 'false'],
    ['what starts a server, behind a flag', ['--sandbox', 'start'], false, 'false'],
  ])('its children end with %s, or outlive it', async (_, args, isTerminal, ends) => {
    expect(await endsAll(args, isTerminal)).toBe(ends)
  })
})

describe('where node can hand over its process', () => {
  const withExecve = async (body: string) => {
    const file = join(hostile, 'execve.cjs')
    writeFileSync(file, `process.execve = (file, args, env) => { ${body} }`)
    return run([node, '--require', file, launcher, '--version'], environment(dirname(node)))
  }

  test('Bun takes its place with arguments and environment, and is not bound to the end of a launcher', async () => {
    const { printed } = await withExecve('console.log(JSON.stringify({ file, args, env })); process.exit(0)')
    const { file, args, env } = JSON.parse(printed)
    expect(file).toBe(args[0])
    expect(args.at(-1)).toBe('--version')
    expect(args).not.toContain('--no-orphans')
    expect(args).toContain('--no-env-file')
    expect(env).toMatchObject({ HOME: hostile, CSP_NODE: expect.stringMatching(/node/) })
  })

  test('but may not, it waits for Bun as an older one does', async () => {
    const refused = await withExecve('throw new Error("not allowed")')
    expect(refused).toEqual({ printed: `${manifest.version}\n`, complaints: '', code: 0 })
  })

  const canHandOver = Bun.spawnSync([node, '-e', 'process.exit(process.execve ? 0 : 1)']).exitCode === 0
  testNeeding('node 22.15 or later', canHandOver)('no node stays beside the server', async () => {
    const child = Bun.spawn([node, launcher, 'serve', '--port', '0'], {
      cwd: hostile,
      env: { ...environment(dirname(node)), ...withoutCli },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    await addressIn(child.stderr.getReader(), { text: '' })
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toMatch(/^[^\0]*bun/)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })
})

test('the launcher prints the version of the package without Bun on PATH', async () => {
  expect((await run([node, launcher, '--version'], environment(dirname(node)))).printed).toBe(`${manifest.version}\n`)
})

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>

async function addressIn(reader: Reader, log: { text: string }): Promise<string> {
  const [, address = ''] = await said(/listening on (http:\/\/[\d.:]+)/, reader, log)
  return address
}

async function said(pattern: RegExp, reader: Reader, log: { text: string }): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(log.text)
    if (found) return found
    if (!(await readOn(reader, log))) throw new Error(`It ended and never said ${pattern}: ${log.text}`)
  }
}

async function drain(reader: Reader, log: { text: string }): Promise<void> {
  while (await readOn(reader, log));
}

/** Adds what comes next to the log. Returns whether anything came. */
async function readOn(reader: Reader, log: { text: string }): Promise<boolean> {
  const { value, done } = await reader.read()
  if (value) log.text += new TextDecoder().decode(value)
  return !done
}
