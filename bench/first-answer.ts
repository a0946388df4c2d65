// How long it takes from nothing to the first answer of the sandbox, with an empty home and an empty cache of npm, from
// a checkout, from the package and from the binary: the commands of the README. It measures what is committed.
//   npm run package && npm run compile && node scripts/bun.mjs bench/first-answer.ts
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const scratch = mkdtempSync(join(tmpdir(), 'csp-first-answer-'))

/** The commands of each form, all in one folder. */
const forms: Readonly<Record<string, readonly string[]>> = {
  checkout: [`git clone --quiet ${root} csp`, 'cd csp && npm install --omit=dev', 'npm install -g ./csp', 'csp demo'],
  package: ['npm install -g ./*.tgz', 'csp demo'],
  binary: ['csp demo'],
}

try {
  for (const [form, commands] of Object.entries(forms)) {
    const home = join(scratch, form)
    const bin = join(home, 'prefix/bin')
    mkdirSync(bin, { recursive: true })
    if (form === 'package') run(root, process.env, `npm pack --silent ./dist/package --pack-destination ${home}`)
    if (form === 'binary') copyFileSync(join(root, 'dist/csp'), join(bin, 'csp'))
    const { NODE_EXTRA_CA_CERTS = '' } = process.env
    const environment = { HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, NODE_EXTRA_CA_CERTS }
    const begun = performance.now()
    for (const command of commands) run(home, { ...environment, npm_config_prefix: join(home, 'prefix') }, command)
    console.log(`${form}: ${commands.length} commands, ${seconds(begun)} s`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function run(cwd: string, env: Record<string, string | undefined>, command: string): void {
  const begun = performance.now()
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', command], { cwd, env })
  if (exitCode !== 0) throw new Error(`${command}: ${stderr}`)
  console.log(`  ${seconds(begun)} s  ${command}`)
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
