// `npm test`: `bun test` in parallel, with csp bundled for the tests that start it. Says at the end in which files tests
// failed, and which tests were skipped because something is missing on this machine. Arguments go to `bun test`.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBun } from '../bin/find-bun.mjs'

// Tests wait as much as they compute, so there are more workers than cores; but too many slow each other down (measured on
// two cores: 339 s with four, 370 s with six). A worker keeps the modules that it has loaded from file to file, which saves a
// tenth of a second for each.
const workers = availableParallelism() + 2
const scratch = mkdtempSync(join(tmpdir(), 'csp-tests-'))
const report = join(scratch, 'report.xml')
// Of all tests and their processes, so that what they leave goes with it. Tests as another user have to reach theirs.
const temporary = join(scratch, 'tmp')
mkdirSync(temporary)
chmodSync(scratch, 0o711)
const given = process.argv.slice(2)
const options = [
  ...(given.some((argument) => argument.startsWith('--parallel')) ? [] : [`--parallel=${workers}`]),
  '--no-isolate',
  '--reporter=junit',
  `--reporter-outfile=${report}`,
]

const program = bundled()
const forTemporary = { TMPDIR: temporary, TEMP: temporary, TMP: temporary }
// What a test has started ends with it, also where no hook ran: with `-t`, that of a file in which nothing matches.
const bun = spawn(findBun(), ['--no-orphans', 'test', ...options, ...given], {
  stdio: 'inherit',
  env: { ...process.env, ...forTemporary, TESTED_FOLDER: program },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => bun.kill(signal))
bun.on('error', (error) => {
  console.error(`Bun could not be started (${error.message}). Run npm install.`)
  process.exitCode = 1
})
bun.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal]
  if (existsSync(report)) summarise(readFileSync(report, 'utf8'))
  // A process that ends may still write.
  for (const folder of [scratch, program]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** A folder with csp as npm's package has it. It starts in less than half the time of the sources. */
function bundled() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  // Beside the dependencies, as npm puts it, so that the launcher finds Bun.
  const folder = mkdtempSync(join(root, 'node_modules/.csp-tested-'))
  for (const name of ['bin', 'bunfig.toml', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  const { status } = spawnSync(findBun(), [join(root, 'scripts/bundle-program.ts'), folder], { stdio: 'inherit' })
  if (status === 0) return folder
  rmSync(folder, { recursive: true, force: true })
  process.exit(status ?? 1)
}

function summarise(xml) {
  const total = Number(/<testsuites [^>]*\btests="(\d+)"/.exec(xml)?.[1])
  const skipped = Number(/<testsuites [^>]*\bskipped="(\d+)"/.exec(xml)?.[1])
  // In parallel, `bun test -t` succeeds where no title matches.
  if (process.exitCode === 0 && total === skipped) {
    console.error('\nNo test was run.')
    process.exitCode = 1
  }
  const failures = xml.matchAll(/<testcase [^>]*\bfile="([^"]*)"[^>]*>\s*<failure/g)
  const failed = new Set(Array.from(failures, ([, file]) => file))
  if (failed.size > 0) console.error(['\nTests failed in:', ...failed].join('\n  '))
  const missing = whatWasMissing(xml)
  if (missing.size === 0) return
  console.error('\nTests were skipped because this machine lacks:')
  for (const [need, files] of missing) {
    const count = [...files.values()].reduce((sum, number) => sum + number, 0)
    console.error(`  ${need}: ${count} ${count === 1 ? 'test' : 'tests'} in ${[...files.keys()].join(', ')}`)
  }
  console.error('On Debian, .ci/install-optional installs the programs.')
}

/** What skipped tests need, by the end of their title: `(needs chromium)`. With the number of tests of each file. */
function whatWasMissing(xml) {
  const missing = new Map()
  const skipped = xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*\bfile="([^"]*)"[^>]*>\s*<skipped/g)
  for (const [, name, groups, file] of skipped) {
    const [, need] = /\(needs ([^)]+)\)/.exec(`${groups} ${name}`) ?? []
    if (!need) continue
    const files = missing.get(need) ?? new Map()
    missing.set(need, files.set(file, (files.get(file) ?? 0) + 1))
  }
  return missing
}
