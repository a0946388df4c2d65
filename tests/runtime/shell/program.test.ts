import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../src/runtime/cli/main.ts'
import {
  commandFor,
  docsPage,
  isTemporary,
  lastingPath,
  ownCommand,
  ownProgram,
  serviceProgram,
} from '../../../src/runtime/shell/program.ts'
import { commands } from '../../support/commands.ts'
import { launcher } from '../../support/tested-program.ts'
import { testShell } from '../test-shell.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'csp-program-')))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A package in a folder of the scratch folder. */
function packageIn(folder: string) {
  const root = join(scratch, folder)
  const file = join(root, 'bin/csp.mjs')
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  return { root, file }
}

/** A folder for PATH in which `csp` leads to a file. */
function pathTo(file: string, folder: string): string {
  const path = join(scratch, folder)
  mkdirSync(path, { recursive: true })
  symlinkSync(file, join(path, 'csp'))
  return path
}

describe('the command that advice names', () => {
  let checkout: ReturnType<typeof packageIn>
  let local: ReturnType<typeof packageIn>
  beforeAll(() => {
    checkout = packageIn('checkout')
    pathTo(checkout.file, 'checkout/node_modules/.bin')
    local = packageIn('project/node_modules/claude-search-proxy')
  })

  test('is csp where PATH leads to this csp', () => {
    const PATH = pathTo(local.file, 'global-bin')
    expect(ownCommand({ PATH }, '/', local)).toBe('csp')
  })

  test('is the package’s name where PATH has no csp, or a csp of somebody else', () => {
    const PATH = pathTo(packageIn('somebody').file, 'other-bin')
    expect(ownCommand({ PATH }, '/', local)).toBe('npx claude-search-proxy')
    expect(ownCommand({}, join(scratch, 'project'), local)).toBe('npx claude-search-proxy')
  })

  test('is npx csp inside a checkout alone, outside of it its path', () => {
    const PATH = join(checkout.root, 'node_modules/.bin')
    expect(ownCommand({ PATH }, checkout.root, checkout)).toBe('npx csp')
    expect(ownCommand({ PATH }, join(checkout.root, 'docs'), checkout)).toBe('npx csp')
    expect(ownCommand({ PATH }, scratch, checkout)).toBe(checkout.file)
  })
})

test('help and refusals name the command as it is called here', () => {
  const run = (...words: readonly string[]) => {
    const { stdout, stderr } = Bun.spawnSync([process.execPath, launcher, ...words], {
      cwd: scratch,
      env: { HOME: scratch, PATH: '/usr/bin:/bin' },
    })
    return `${stdout}${stderr}`
  }
  // A checkout by its path, the bundle of a whole run as the package that it is.
  const called = (words: string) => new RegExp(`(?:/bin/csp\\.mjs|npx claude-search-proxy) ${words}`)
  const page = run('keys', '--help')
  expect(page).toMatch(called('keys add phone'))
  expect(page).not.toMatch(/(^|\s)csp (keys|serve)/m)
  expect(run('keys', 'ad')).toMatch(called('keys add NAME'))
  expect(page.split('\n').filter((line) => line.length > 80 && !/ {2}\S*(?:csp\.mjs|npx)/.test(line))).toEqual([])
})

test('no message of a command calls csp by a name that may not be there', async () => {
  const names = commands.map(({ name }) => name).join('|')
  const plain = new RegExp(`['"\`][^'"\`]*(?<![\\w/.@}-]|npx |bunx )csp (?:${names})(?![\\w-])`)
  const files = [...new Bun.Glob('**/*.ts').scanSync('src/runtime/cli')].filter(
    (file) => !/^completions\/(?!completions)/.test(file),
  )
  const lines = files.flatMap((file) => readFileSync(join('src/runtime/cli', file), 'utf8').split('\n'))
  expect(lines.filter((line) => plain.test(line) && !/^\s*(?:\/\/|\*|\/\*\*)/.test(line))).toEqual([])
})

test('no help page advises npx csp, which is another package outside of a checkout', async () => {
  for (const { name } of commands) {
    const shell = testShell({ environment: { HOME: scratch }, directory: scratch })
    await main([name, '--help'], shell)
    expect(shell.printed()).not.toContain('npx csp')
  }
})

test('a program is called by its name where PATH leads to it, otherwise by its path', () => {
  const { file } = packageIn('with space')
  expect(commandFor(file, {})).toBe(`'${file}'`)
  const folder = join(scratch, 'claude-bin')
  mkdirSync(folder)
  symlinkSync(file, join(folder, 'csp.mjs'))
  expect(commandFor(file, { PATH: folder })).toBe('csp.mjs')
})

test('a service is run by the node of PATH where that is the own one or the own one will not stay, otherwise by the own', () => {
  const folder = join(scratch, 'node-bin')
  const real = join(scratch, 'node-24/bin/node')
  for (const path of [folder, join(real, '..')]) mkdirSync(path, { recursive: true })
  writeFileSync(real, '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync(real, join(folder, 'node'))
  const found = join(folder, 'node')
  const commandOf = (PATH: string, CSP_NODE?: string) => serviceProgram({ PATH, CSP_NODE }, 'serve')?.command
  expect(commandOf(folder)).toBe(found)
  for (const own of ['', 'node', '/tmp/bun-node-1a2b/node', real]) expect(commandOf(folder, own)).toBe(found)
  expect(commandOf(folder, '/opt/node/bin/node')).toBe('/opt/node/bin/node')
  expect(commandOf('/nowhere', '/opt/node/bin/node')).toBe('/opt/node/bin/node')
  // Without any the runtime of csp runs it.
  for (const own of ['node', '/tmp/bun-node-1a2b/node']) expect(commandOf('/nowhere', own)).toBe(process.execPath)
})

test('pages of the documentation that advice names are there', () => {
  for (const page of ['backends.md', 'edge.md', 'clients']) expect(existsSync(docsPage(page))).toBe(true)
})

describe('what another program starts', () => {
  const temporary = { root: '/home/jo/.npm/_npx/1a2b/node_modules/claude-search-proxy', file: '' }
  const inNpx = { ...temporary, file: `${temporary.root}/bin/csp.mjs` }
  const inBunx = { root: '/tmp/bunx-1-x', file: '/tmp/bunx-1-x/node_modules/claude-search-proxy/bin/csp.mjs' }

  /** A folder for PATH with these programs. */
  function pathWith(...names: readonly string[]): string {
    const folder = mkdtempSync(join(scratch, 'programs-'))
    for (const name of names) writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
    return folder
  }

  test('is npx with the package’s name, by its path, where csp lies in the cache of npx', () => {
    const folder = pathWith('npx', 'bunx', 'node')
    const PATH = `/home/jo/.npm/_npx/1a2b/node_modules/.bin:${folder}`
    expect(ownProgram({ PATH }, ['mcp'], inNpx)).toEqual({
      command: join(folder, 'npx'),
      args: ['-y', 'claude-search-proxy', 'mcp'],
      env: { PATH: [folder, '/usr/local/bin', '/usr/bin', '/bin'].join(':') },
    })
  })

  test('is bunx where bunx started it, and npx where there is no bunx', () => {
    const both = pathWith('npx', 'bunx')
    expect(ownProgram({ PATH: both }, ['mcp'], inBunx)).toMatchObject({
      command: join(both, 'bunx'),
      args: ['claude-search-proxy', 'mcp'],
    })
    const npx = pathWith('npx')
    expect(ownProgram({ PATH: npx }, ['mcp'], inBunx).command).toBe(join(npx, 'npx'))
  })

  test('is the file of csp in a folder that stays, and where nothing brings the package', () => {
    const folder = pathWith('npx', 'node')
    const file = '/opt/node_modules/claude-search-proxy/bin/csp.mjs'
    const stays = { command: join(folder, 'node'), args: [file, 'mcp'] }
    expect(ownProgram({ PATH: folder }, ['mcp'], { root: '/opt', file })).toEqual(stays)
    const node = pathWith('node')
    expect(ownProgram({ PATH: node }, ['mcp'], inNpx).args).toEqual([inNpx.file, 'mcp'])
  })
})

describe('what a service starts', () => {
  test('lies in no folder that is made for one command or one terminal', () => {
    const passing = [
      '/home/jo/.npm/_npx/1a2b/node_modules/claude-search-proxy/bin/csp.mjs',
      '/tmp/bunx-1000-claude-search-proxy@latest/node_modules/claude-search-proxy/bin/csp.mjs',
      '/home/jo/.cache/pnpm/dlx-81/node_modules/claude-search-proxy/bin/csp.mjs',
      'C:\\Users\\jo\\AppData\\Local\\npm-cache\\_npx\\1a2b\\node_modules\\claude-search-proxy',
      '/run/user/1000/fnm_multishells/12_34/bin',
    ]
    expect(passing.filter((path) => !isTemporary(path))).toEqual([])
    expect(isTemporary('/usr/local/lib/node_modules/claude-search-proxy/bin/csp.mjs')).toBe(false)
  })

  test('has the PATH of the user without what npm and bunx add to it', () => {
    const PATH = '/p/node_modules/.bin:/x/node-gyp-bin:/tmp/bun-node-1a2b:relative::/usr/bin:/opt/a b:/usr/bin'
    expect(lastingPath({ PATH })).toBe('/usr/bin:/opt/a b')
  })
})
