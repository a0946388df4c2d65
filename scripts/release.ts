// Builds all that a release has into dist/release: a program for each platform, the npm package, the bundle for Claude
// Desktop, checksums and a list of what is in them; the notes go into dist/notes.md, what registries and stores need into
// dist/shelves. `npm run release v1.2.3`; names of platforms behind it build those alone.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { claudeDesktop } from './shelves/claude.ts'
import { type Facts, factsOf } from './shelves/facts.ts'
import { iconFile, iconFiles, iconOf } from './shelves/icons.ts'
import { bundleOf } from './shelves/mcp-registry.ts'
import { writeFiles, writeShelves } from './shelves.ts'

export const platforms = [
  'linux-x64',
  'linux-x64-musl',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
]
const root = join(import.meta.dir, '..')
const out = join(root, 'dist/release')
const shelves = join(root, 'dist/shelves')

/** What a changelog says of a version, without its heading; empty where it says nothing. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const own = sections.find((section) => /^\[?([^\]\s]+)\]?/.exec(section)?.[1] === version)
  return own?.split('\n').slice(1).join('\n').trim() ?? ''
}

if (import.meta.main) {
  const [tag = '', ...named] = Bun.argv.slice(2)
  const facts = ownFacts()
  const { version } = facts
  if (tag !== `v${version}`) fail(`The tag ${tag || '(none)'} is not v${version}, the version of package.json.`)
  const unknown = named.filter((name) => !platforms.includes(name))
  if (unknown.length > 0) fail(`There is no platform ${unknown.join(', ')}. There are ${platforms.join(', ')}.`)
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (!notes) fail(`CHANGELOG.md has no section "## ${version}".`)

  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const platform of named.length > 0 ? named : platforms) compile(`csp-${version}-${platform}`, platform)
  pack()
  await bundle(facts)
  const sbom = run(['npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'])
  writeFileSync(join(out, `csp-${version}.cdx.json`), sbom)
  await writeSums()
  if (named.length > 0) console.log('dist/shelves is not written: it needs the programs of all platforms.')
  else {
    await writeShelves()
    run(['tar', '-czf', join(out, 'csp-flake.tar.gz'), '-C', shelves, 'nix'])
    await writeSums()
  }
  writeFileSync(join(root, 'dist/notes.md'), notes)
}

function compile(name: string, platform: string): void {
  const folder = join(root, 'dist', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const isWindows = platform.startsWith('windows')
  const program = join(folder, isWindows ? 'csp.exe' : 'csp')
  run(['node', 'scripts/compile.mjs', `--target=bun-${platform}`, `--outfile=${program}`])
  if (isWindows) {
    renameSync(program, join(out, `${name}.exe`))
    return
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  run(['tar', '-czf', join(out, `${name}.tar.gz`), '-C', join(root, 'dist'), name])
}

/** What package.json says. A workflow of another repository than the one named there must not publish. */
function ownFacts(): Facts {
  try {
    const facts = factsOf(new Map())
    const running = process.env['GITHUB_REPOSITORY']
    if (running && facts.url !== `https://github.com/${running}`)
      fail(`package.json names ${facts.url}, and this is ${running}.`)
    return facts
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** csp, and the plugin for OpenClaw with where it comes from. */
function pack(): void {
  run(['npm', 'run', 'package'])
  run(['npm', 'pack', join(root, 'dist/package'), '--pack-destination', out])
  run(['npm', 'pack', join(root, 'integrations/openclaw'), '--pack-destination', out])
}

/** Checked by the program that packs it. */
async function bundle(facts: Facts): Promise<void> {
  writeFiles({ ...claudeDesktop(facts), ...(await iconFiles()) })
  writeFiles({ [iconFile]: await iconOf(512) }, out)
  const mcpb = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
  run(['node', mcpb, 'pack', join(shelves, 'claude-desktop'), join(out, bundleOf(facts))])
}

async function writeSums(): Promise<void> {
  const lines: string[] = []
  for (const name of readdirSync(out).toSorted()) {
    if (name === 'SHA256SUMS') continue
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(join(out, name))) hash.update(chunk)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}

/** Returns what a command prints. */
function run(command: readonly string[], cwd = root): string {
  const { exitCode, stdout } = Bun.spawnSync([...command], { cwd, stdout: 'pipe', stderr: 'inherit' })
  if (exitCode !== 0) fail(`${command.join(' ')} ended with code ${exitCode}.`)
  return stdout.toString()
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
