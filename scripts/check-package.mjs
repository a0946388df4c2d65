// Builds the package and tries it as its users do, from empty folders outside this checkout, with a home of their own and
// an environment that holds neither a Bun nor a Claude CLI: every way to call csp, and the library with its types.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { findBun } from '../bin/find-bun.mjs'
import { startRegistry } from './package-registry.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist/package')
const scratch = mkdtempSync(join(tmpdir(), 'csp-package-'))
// Node alone: a Bun or a Claude CLI of this machine would hide that ours is missing.
const path = folder('path')
for (const name of ['sh', 'env', 'dirname', 'uname', 'sed']) link(name, `/usr/bin/${name}`, `/bin/${name}`)
link('node', process.execPath)
link('npm', join(dirname(process.execPath), 'npm'))
link('npx', join(dirname(process.execPath), 'npx'))

let registry
try {
  await run('npm', ['run', 'package'], { cwd: root })
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  await checkManifest(manifest)
  const [{ filename, files, unpackedSize }] = JSON.parse(
    (await run('npm', ['pack', '--json', '--pack-destination', scratch, built], { cwd: root })).stdout,
  )
  const tarball = join(scratch, filename)
  checkFiles(files.map((file) => file.path))
  const { project, packages } = await install(tarball, manifest.version)
  await checkLibrary(project)
  registry = await startRegistry({ tarball, manifest, folder: scratch })
  await checkWaysIn(manifest.version, registry.url)
  const megabytes = (unpackedSize / 1e6).toFixed(1)
  console.log(`The package has ${files.length} files (${megabytes} MB) and installs as ${packages} packages.`)
} finally {
  registry?.close()
  rmSync(scratch, { recursive: true, force: true })
}

/** What the tools for package authors say, types included. */
async function checkManifest(manifest) {
  const { messages } = await publint({ pkgDir: built, strict: true })
  // Of shebangs it knows `/usr/bin/env` alone, but a service may have no PATH on which `sh` is.
  const known = messages.filter(({ code }) => code !== 'BIN_FILE_NOT_EXECUTABLE')
  assert.deepEqual(
    known.map((message) => formatMessage(message, manifest)),
    [],
  )
  await run(process.execPath, [
    join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
    '--pack',
    built,
    '--profile',
    'esm-only',
  ])
}

function checkFiles(paths) {
  const needed = ['LICENSE', 'bin/csp.mjs', 'dist/csp/entry.js', 'dist/library.js', 'dist/worker.js']
  for (const each of [...needed, 'bunfig.toml', 'wrangler.toml', 'examples/node.mjs', 'scripts/try-here.sh'])
    assert.ok(paths.includes(each), `${each} is missing from the package`)
  const strays = paths.filter(
    (each) =>
      !/^(bin|dist|docs|examples|integrations|scripts)\/|^(package\.json|bunfig\.toml|wrangler\.toml|llms\.txt|LICENSE|README\.md)$/.test(
        each,
      ),
  )
  assert.deepEqual(strays, [], 'the package holds files that it should not')
}

/** Where npm may run no scripts, and with the packages that npm itself would fetch. */
async function install(tarball, version) {
  const project = folder('project')
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}')
  const flags = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  const { stderr } = await run('npm', ['install', ...flags, tarball], { cwd: project })
  // Of the oldest node that the README promises, too: no dependency asks for a newer one, and no script is left behind.
  assert.doesNotMatch(stderr, /EBADENGINE|claude-search-proxy.*\((?:pre|post)?(?:prepare|install)/)
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const installed = Object.keys(packages).filter(
    (name) => existsSync(join(project, name, 'package.json')) && name !== '',
  )
  assert.ok(installed.length <= 4, `an install brings ${installed.length} packages: ${installed.join(', ')}`)

  const csp = (args, name = 'csp') => outcome(join(project, 'node_modules/.bin', name), args, { cwd: project })
  for (const name of ['csp', 'claude-search-proxy'])
    assert.equal((await csp(['--version'], name)).stdout.trim(), version)
  assert.match((await csp(['--help'])).stdout, /npx claude-search-proxy search/)
  const doctor = await csp(['doctor'])
  assert.equal(doctor.code, 3, doctor.stderr)
  assert.match(doctor.stdout, /npm install -g @anthropic-ai\/claude-code/)
  await checkServer(join(project, 'node_modules/.bin/csp'))
  return { project, packages: installed.length }
}

/** The library as its users have it: built, with types that need no other package. */
async function checkLibrary(project) {
  cpSync(join(built, 'examples/own-backend.mjs'), join(project, 'own-backend.mjs'))
  for (const runtime of [process.execPath, findBun()]) {
    const { stdout, stderr } = await outcome(runtime, ['own-backend.mjs', 'tea'], { cwd: project })
    assert.match(stdout, /^Green tea {2}https:\/\//, stderr)
  }
  writeFileSync(
    join(project, 'typed.ts'),
    `import { type App, createApp, type Executor, SearchError, searxng } from 'claude-search-proxy'
const backend: Executor = searxng({ url: 'https://searx.example.org' })
const app: App = createApp({ backends: [backend], keys: ['a-key-of-mine'] })
const rows = (await app.search({ query: 'tea', limit: 3 })).searches[0]?.results ?? []
export const titles: readonly string[] = rows.map(({ title }) => title)
export const code = new SearchError('busy', 'Later.').code satisfies string
// @ts-expect-error A query is needed.
void app.search({ limit: 3 })
`,
  )
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'esnext,dom,dom.asynciterable',
  ]
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  const { code, stdout } = await outcome(process.execPath, [typescript, ...options, '--types', '', 'typed.ts'], {
    cwd: project,
  })
  assert.equal(code, 0, stdout)
}

/** Each as a person types it in an empty folder, with packages from a registry on this machine. */
async function checkWaysIn(version, url) {
  const env = { npm_config_registry: url, BUN_CONFIG_REGISTRY: url, npm_config_cache: join(scratch, 'npm-cache') }
  const prefix = join(scratch, 'global')
  const global = await outcome('npm', ['install', '--global', '--prefix', prefix, 'claude-search-proxy'], { env })
  assert.equal(global.code, 0, global.stderr)
  const bun = findBun()
  const ways = {
    'npx claude-search-proxy': ['npx', ['--yes', 'claude-search-proxy', '--version']],
    'bunx claude-search-proxy': [bun, ['x', 'claude-search-proxy', '--version']],
    'csp after npm install -g': [join(prefix, 'bin/csp'), ['--version']],
    'bunx csp in a checkout': [bun, ['x', 'csp', '--version'], root],
    'npx csp in a checkout': ['npx', ['csp', '--version'], root],
    ...(existsSync(join(root, 'dist/csp')) && { 'the single binary': [join(root, 'dist/csp'), ['--version']] }),
  }
  for (const [name, [command, args, cwd = folder('empty')]] of Object.entries(ways)) {
    const { stdout, stderr } = await outcome(command, args, { cwd, env })
    assert.equal(stdout.trim(), version, `${name}: ${stderr}`)
    console.log(`works: ${name}`)
  }
  if (existsSync(join(root, 'dist/csp'))) await checkServer(join(root, 'dist/csp'))
}

/** Serves until SIGTERM, and leaves no process. */
async function checkServer(command) {
  const csp = spawn(command, ['serve'], {
    cwd: folder('empty'),
    env: environment({ CSP_PORT: '0' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const address = await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (found) resolve(found)
    }
    csp.stdout.on('data', hear)
    csp.stderr.on('data', hear)
    csp.on('error', reject)
    csp.on('exit', (code) => reject(new Error(`csp serve ended with ${code}: ${said}`)))
  })
  assert.equal((await fetch(`${address}/health/live`)).status, 200)
  const ended = new Promise((resolve) => csp.on('exit', resolve))
  csp.kill('SIGTERM')
  assert.equal(await ended, 0, said)
  await assert.rejects(fetch(`${address}/health/live`))
}

async function outcome(command, args, { cwd = folder('empty'), env = {} } = {}) {
  try {
    return { code: 0, ...(await run(command, args, { cwd, env: environment(env) })) }
  } catch (error) {
    return { code: error.code, stdout: error.stdout ?? '', stderr: `${error.message} ${error.stderr ?? ''}` }
  }
}

function environment(more) {
  return { PATH: path, HOME: folder('home'), ...more }
}

function folder(name) {
  const made = join(scratch, name)
  mkdirSync(made, { recursive: true })
  return made
}

function link(name, ...targets) {
  const target = targets.find((each) => existsSync(each))
  if (target && !existsSync(join(path, name))) symlinkSync(target, join(path, name))
}
