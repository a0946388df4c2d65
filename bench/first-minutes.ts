// How long it takes from nothing to the first search in OpenClaw, with an empty home and an empty cache of npm, on the
// sandbox: `npx claude-search-proxy init` (new), or the steps of before there was a package (old), from a clone at a
// commit. Build the package first, and have OpenClaw and a node that it takes on PATH:
//   npm run package && node scripts/bun.mjs bench/first-minutes.ts new
//   node scripts/bun.mjs bench/first-minutes.ts old COMMIT
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../packages/sandbox/test/support/sandbox.ts'
import { claudeEnvironment } from '../tests/support/real-claude.ts'

const search = ['infer', 'web', 'search', '--query', 'bun release notes', '--json']
const [way = 'new', commit = 'main'] = Bun.argv.slice(2)
const root = join(import.meta.dir, '..')
const home = mkdtempSync(join(tmpdir(), 'csp-first-minutes-'))
const sandbox = startSandbox()
try {
  const npm = servePackage()
  mkdirSync(join(home, '.openclaw'))
  writeFileSync(join(home, '.openclaw/openclaw.json'), '{}\n')
  writeFileSync(join(home, '.npmrc'), `registry=${npm.url}\n`)
  const clone = join(home, 'csp')
  const openclaw = ['setup', 'openclaw', '--plugin', '--yes', '--no-search']
  const steps: readonly (readonly [folder: string, ...command: string[]])[] =
    way === 'old'
      ? [
          [home, 'git', 'clone', '--quiet', root, clone],
          [clone, 'git', 'checkout', '--quiet', commit],
          [clone, 'npm', 'install', '--omit=dev'],
          [clone, 'npx', 'csp', 'login'],
          [clone, 'npx', 'csp', ...openclaw],
          [clone, 'npx', 'csp', 'start'],
        ]
      : [[home, 'npx', '--yes', 'claude-search-proxy', 'init', '--yes', '--serve', 'background']]
  // Whoever sets csp up uses OpenClaw already: its compile cache is warm.
  for (const words of [['plugins', 'list'], [...search]]) await start(home, ['openclaw', ...words]).exited
  const began = performance.now()
  for (const [folder, ...command] of steps) await run(folder, command)
  await run(home, ['openclaw', ...search])
  console.log(`${seconds(began)} s in all`)
  const [folder, program] = way === 'old' ? [clone, ['csp']] : [home, ['--yes', 'claude-search-proxy']]
  await run(folder, ['npx', ...program, 'stop'])
  await npm.stop(true)
} finally {
  await sandbox.stop()
  rmSync(home, { recursive: true, force: true })
}

/** A registry that has the built csp; everything else is where npm has it otherwise. */
function servePackage() {
  const folder = join(root, 'dist/package')
  const packed = Bun.spawnSync(['npm', 'pack', '--silent', '--pack-destination', home, folder]).stdout.toString().trim()
  const tarball = readFileSync(join(home, packed))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const usual = Bun.spawnSync(['npm', 'config', 'get', 'registry']).stdout.toString().trim()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }): Response {
      const path = new URL(url).pathname.slice(1)
      if (path === 'csp.tgz') return new Response(tarball)
      if (path !== manifest.name) return Response.redirect(`${usual}${path}`)
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
      const dist = { tarball: new URL('/csp.tgz', url).href, integrity }
      const versions = { [manifest.version]: { ...manifest, dist } }
      return Response.json({ name: path, 'dist-tags': { latest: manifest.version }, versions })
    },
  })
  return server
}

/** Runs one command, and says how long it took. */
async function run(cwd: string, command: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  const child = start(cwd, command)
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${errors}`)
  console.log(`${seconds(startedAt)} s  ${command.join(' ').replaceAll(home, '~')}`)
}

/** Starts a command as somebody with an empty home does. */
function start(cwd: string, command: readonly string[]) {
  const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].map((name) => [name, process.env[name]])
  const env = { ...claudeEnvironment(sandbox.url, home), TMPDIR: home, CSP_PORT: '53480', CSP_WARM_UP: 'on' }
  return Bun.spawn([...command], {
    cwd,
    env: { ...env, ...Object.fromEntries(certificates.filter(([, path]) => path !== undefined)) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
