import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One call of the fake, as it came. */
export interface WranglerCall {
  readonly args: readonly string[]
  readonly input: string
}

export interface FakeWrangler {
  /** A folder for PATH. */
  readonly folder: string
  calls(): readonly WranglerCall[]
  /** Makes every call that begins with these words fail, saying so. */
  breakAt(words: string): void
  mend(): void
}

/**
 * A program called `wrangler`, with a Cloudflare of its own in a file: it knows who is signed in, which namespaces and
 * which secrets there are, and writes down each call.
 */
export function fakeWrangler(folder: string, { signedIn = true, version = '4.164.0' } = {}): FakeWrangler {
  mkdirSync(folder, { recursive: true })
  const state = join(folder, 'state.json')
  const calls = join(folder, 'calls.ndjson')
  const broken = join(folder, 'broken')
  writeFileSync(state, JSON.stringify({ signedIn, version, namespaces: [], secrets: [] }))
  const program = join(folder, 'wrangler')
  writeFileSync(program, `#!${process.execPath}\n${code(state, calls, broken)}`)
  chmodSync(program, 0o755)
  return {
    folder,
    calls: () =>
      existsSync(calls)
        ? readFileSync(calls, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    breakAt: (words) => writeFileSync(broken, words),
    mend: () => writeFileSync(broken, ''),
  }
}

function code(state: string, calls: string, broken: string): string {
  return `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
const args = process.argv.slice(2)
const line = args.join(' ')
const is = (words) => line.startsWith(words)
const input = is('secret bulk') ? await Bun.stdin.text() : ''
appendFileSync(${JSON.stringify(calls)}, JSON.stringify({ args, input }) + '\\n')
const state = JSON.parse(readFileSync(${JSON.stringify(state)}, 'utf8'))
const keep = () => writeFileSync(${JSON.stringify(state)}, JSON.stringify(state))
const broken = existsSync(${JSON.stringify(broken)}) ? readFileSync(${JSON.stringify(broken)}, 'utf8') : ''
if (broken && is(broken)) {
  console.error('The fake fails at ' + broken)
  process.exit(1)
}
if (is('--version')) console.log(state.version)
else if (is('whoami')) {
  console.log(JSON.stringify({ loggedIn: state.signedIn, email: state.signedIn ? 'a@example.org' : undefined }))
  process.exit(state.signedIn ? 0 : 1)
} else if (is('login')) {
  state.signedIn = true
  keep()
} else if (is('kv namespace list')) console.log(JSON.stringify(state.namespaces))
else if (is('kv namespace create')) {
  state.namespaces.push({ id: '0123456789abcdef0123456789abcdef', title: args[3] })
  keep()
} else if (is('deploy')) {
  const report = process.env.WRANGLER_OUTPUT_FILE_PATH
  if (report) appendFileSync(report, JSON.stringify({ type: 'deploy', targets: ['https://csp-edge.me.workers.dev'] }) + '\\n')
  console.log('Total Upload: 1 KiB / gzip: 0.50 KiB')
} else if (is('secret list')) console.log(JSON.stringify(state.secrets.map((name) => ({ name, type: 'secret_text' }))))
else if (is('secret bulk')) {
  state.secrets = [...new Set([...state.secrets, ...Object.keys(JSON.parse(input))])]
  keep()
} else process.exit(2)
`
}
