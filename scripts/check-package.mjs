// Installs the packed package into an empty folder, as a user without scripts or development dependencies would, and
// runs what came out of it with an environment that holds no Bun and no Claude CLI.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'csp-package-'))

try {
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], root)
  const [{ filename, files }] = JSON.parse(packed)
  checkFiles(files.map((file) => file.path))

  writeFileSync(join(scratch, 'package.json'), '{"private":true}')
  const flags = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', ['install', ...flags, filename], { cwd: scratch, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  // Of the oldest node that the README promises, too: no dependency asks for a newer one, and no script is left behind.
  assert.doesNotMatch(stderr, /EBADENGINE|claude-search-proxy.*\((?:pre|post)?(?:prepare|install)/)

  assert.equal(csp(['--version']).stdout.trim(), version)
  assert.match(csp(['--help']).stdout, /npx claude-search-proxy search/)
  assert.equal(csp(['--version'], 'claude-search-proxy').stdout.trim(), version)
  const doctor = csp(['doctor'])
  assert.equal(doctor.status, 3, doctor.stderr)
  assert.match(doctor.stdout, /npm install -g @anthropic-ai\/claude-code/)
  console.log(`The package holds ${files.length} files and works from an empty folder.`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function csp(args, name = 'csp') {
  // Node alone: a Bun or a Claude CLI of this machine would hide that ours is missing.
  const path = join(scratch, 'path')
  mkdirSync(path, { recursive: true })
  if (!existsSync(join(path, 'node'))) symlinkSync(process.execPath, join(path, 'node'))
  const env = { PATH: path, HOME: scratch, CSP_PORT: '0' }
  return spawnSync(join(scratch, 'node_modules', '.bin', name), args, { cwd: scratch, env, encoding: 'utf8' })
}

function checkFiles(paths) {
  for (const needed of ['LICENSE', 'bin/csp.mjs', 'src/runtime/entry.ts', 'bunfig.toml', 'wrangler.toml']) {
    assert.ok(paths.includes(needed), `${needed} is missing from the package`)
  }
  const strays = paths.filter(
    (path) =>
      !/^(bin|src|docs|integrations)\/|^(package\.json|bunfig\.toml|wrangler\.toml|LICENSE|README\.md)$/.test(path),
  )
  assert.deepEqual(strays, [], 'the package holds files that it should not')
}
