import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { testNeeding } from '../support/needs.ts'
import { launcher, testedFolder } from '../support/tested-program.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp launcher '))
const withNode = join(scratch, 'with node')

beforeAll(() => {
  mkdirSync(withNode)
  writeFileSync(join(withNode, 'node'), '#!/bin/sh\nfor word; do echo "node $word"; done\n', { mode: 0o755 })
})
afterAll(() => rmSync(scratch, { recursive: true }))

/** A package as npm installs it, whose program says how it was started. Returns its launcher. */
function installed(folder: string): string {
  const root = join(folder, 'node_modules/claude-search-proxy')
  cpSync(join(testedFolder, 'bin'), join(root, 'bin'), { recursive: true })
  mkdirSync(join(root, 'dist/csp'), { recursive: true })
  copyFileSync(join(testedFolder, 'bunfig.toml'), join(root, 'bunfig.toml'))
  writeFileSync(join(root, 'package.json'), '{"type": "module"}')
  writeFileSync(
    join(root, 'dist/csp/entry.js'),
    'console.log(JSON.stringify({ file: process.execPath, args: process.argv.slice(2), env: process.env, flags: process.execArgv, parent: process.ppid }))',
  )
  return join(root, 'bin/csp.mjs')
}

/** Bun as a file of its own, as a dependency has it. */
function putBun(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(process.execPath, path)
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode: 0o755 })
}

let count = 0
const newFolder = () => join(scratch, `here and there ${count++}`)

const startedSchema = z.object({
  file: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  flags: z.array(z.string()),
  parent: z.number(),
})

async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...command], { cwd: scratch, env: { ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const started = startedSchema.safeParse(parseJson(printed)).data
  return { printed, complaints, code: await child.exited, started, pid: process.pid }
}

/** Debian's busybox is marked as one that needs GNU's extensions of ELF, and Alpine's is not: that one is meant here. */
function withoutExtensions(program: string | null): string {
  const path = join(scratch, 'busybox')
  if (program) put(path, Uint8Array.from(readFileSync(program)).fill(0, 7, 8))
  return path
}

const shells: readonly (readonly [string, readonly string[]])[] = [
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['zsh', ['zsh']],
  ['busybox', ['busybox', 'sh']],
]

describe.each(shells)('in %s', (name, words) => {
  const found = Bun.which(name)
  const shell = [name === 'busybox' ? withoutExtensions(found) : (found ?? ''), ...words.slice(1)]
  const checked = testNeeding(name, found !== null)

  checked('Bun is started without node, through links, from a folder with spaces', async () => {
    const folder = newFolder()
    const file = installed(folder)
    putBun(join(folder, 'node_modules/bun/bin/bun.exe'))
    mkdirSync(join(folder, 'bin'))
    symlinkSync('../node_modules/claude-search-proxy/bin/csp.mjs', join(folder, 'bin/csp'))
    symlinkSync(join(folder, 'bin/csp'), join(folder, 'again'))
    for (const path of [file, join(folder, 'bin/csp'), join(folder, 'again')]) {
      const { started, complaints } = await run([...shell, path, 'ask', 'a  b', '', "it's $HOME"], { HOME: folder })
      expect(complaints).toBe('')
      expect(started?.args).toEqual(['ask', 'a  b', '', "it's $HOME"])
      expect(started?.flags).toContain('--no-env-file')
      expect(started?.env).toMatchObject({
        BUN_JSC_forceRAMSize: readFileSync(join(testedFolder, 'bin/heap-size'), 'utf8').trim(),
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: `${folder}/.cache/csp-runtime`,
      })
      expect(started?.env).not.toHaveProperty('CSP_RUNNER')
    }
  })

  checked('it is told what node would tell it, and what is set stays', async () => {
    const folder = newFolder()
    const file = installed(folder)
    putBun(join(dirname(file), '../node_modules/bun/bin/bun.exe'))
    const PATH = `${withNode}:${process.env['PATH']}`
    const told = await run([...shell, file], { PATH, npm_command: 'exec', XDG_CACHE_HOME: '/x' })
    expect(told.started?.env).toMatchObject({
      CSP_NODE: join(withNode, 'node'),
      CSP_RUNNER: String(told.started?.parent),
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: '/x/csp-runtime',
    })
    const kept = { PATH, CSP_NODE: '/mine', BUN_JSC_forceRAMSize: '1000000000' }
    expect((await run([...shell, file], kept)).started?.env).toMatchObject(kept)
  })

  checked('where PATH has no node, it is told of the one beside the link', async () => {
    const folder = newFolder()
    installed(folder)
    putBun(join(folder, 'node_modules/bun/bin/bun.exe'))
    cpSync(withNode, join(folder, 'bin'), { recursive: true })
    symlinkSync('../node_modules/claude-search-proxy/bin/csp.mjs', join(folder, 'bin/csp'))
    const { started } = await run([...shell, join(folder, 'bin/csp')], { PATH: '/nowhere' })
    expect(started?.env['CSP_NODE']).toBe(join(folder, 'bin/node'))
  })

  checked('a Bun of @oven is started where npm has run no scripts', async () => {
    const folder = newFolder()
    const file = installed(folder)
    put(
      join(folder, 'node_modules/bun/bin/bun.exe'),
      'echo "Error: Bun\'s postinstall script was not run." >&2\nexit 1\n',
    )
    putBun(join(folder, 'node_modules/@oven/bun-linux-x64/bin/bun'))
    const PATH = `${withNode}:${process.env['PATH']}`
    expect((await run([...shell, file, 'x'], { PATH })).started?.args).toEqual(['x'])
    putBun(join(folder, 'node_modules/@oven/bun-linux-x64-musl/bin/bun'))
    expect(await run([...shell, file, 'x'], { PATH })).toMatchObject({
      printed: `node ${file}\nnode x\n`,
      complaints: '',
    })
  })

  const elf = readFileSync(process.platform === 'linux' ? '/bin/true' : launcher)
  const ofOtherMachine = Uint8Array.from(elf).fill(243, 18, 19)
  const ofOtherLibrary = Buffer.from(elf.toString('latin1').replace(/\/ld-linux/g, '/ld-linuX'), 'latin1')
  const strange: readonly (readonly [string, string | Uint8Array | undefined])[] = [
    ['none', undefined],
    ['a text', '#!/bin/sh\necho evil\n'],
    ['one for macOS', Uint8Array.of(0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1, 10)],
    ['one for Windows', 'MZ\n'],
    ['an empty file', ''],
    // Elsewhere than in zsh a NUL of a file is not read, and this one is seen.
    ...(name === 'zsh' ? [] : [['one for another machine', ofOtherMachine] as const]),
  ]
  const onLinux = testNeeding(`${name} on Linux`, found !== null && process.platform === 'linux')
  for (const [kind, content] of strange) {
    onLinux(`node is started where the Bun is ${kind}`, async () => {
      const folder = newFolder()
      const file = installed(folder)
      if (content !== undefined) put(join(folder, 'node_modules/bun/bin/bun.exe'), content)
      const ran = await run([...shell, file, 'a b'], { PATH: `${withNode}:${process.env['PATH']}` })
      expect(ran).toMatchObject({ printed: `node ${file}\nnode a b\n`, complaints: '', code: 0 })
    })
  }

  testNeeding(`${name} on Linux`, found !== null && process.platform === 'linux' && name !== 'zsh')(
    'node says it where the Bun is one for another C library',
    async () => {
      const folder = newFolder()
      const file = installed(folder)
      put(join(folder, 'node_modules/bun/bin/bun.exe'), ofOtherLibrary)
      const ran = await run([...shell, file, 'a b'], { PATH: `${withNode}:${process.env['PATH']}` })
      expect(ran).toMatchObject({ printed: `node ${file}\nnode a b\n`, code: 0 })
    },
  )
})

test('csp runs as a program where PATH has neither node nor Bun', async () => {
  const { printed, complaints } = await run([launcher, '--help'], { PATH: '/nowhere' })
  expect(complaints).toBe('')
  expect(printed).toContain('Search the web')
})

test('without any runtime csp says what it needs', async () => {
  const file = installed(newFolder())
  expect(await run(['/bin/sh', file], { PATH: '/nowhere' })).toMatchObject({
    printed: '',
    complaints: expect.stringContaining('nodejs.org'),
    code: 1,
  })
})
