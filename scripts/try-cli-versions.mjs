// Tries csp with several versions of the Claude Code CLI, on the sandbox, and prints a Markdown table:
// `node scripts/bun.mjs scripts/try-cli-versions.mjs 2.1.129 2.1.330`. Each version is installed from npm into a scratch
// folder (some 350 MB), tried with two keys, and deleted before the next one.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSandbox } from '../packages/sandbox/test/support/recorded-sandbox.ts'
import { findClaude } from '../src/executor/backends/claude/cli/find.ts'
import { childEnvironment, workerArguments } from '../src/executor/backends/claude/cli/launch.ts'

const run = promisify(execFile)
const launcher = fileURLToPath(new URL('../bin/csp.mjs', import.meta.url))
const callers = ['amber', 'birch']

const chat = (model, rest) => (text) => ({
  path: '/chat/completions',
  body: { model, messages: [{ role: 'user', content: text }], ...rest },
})
const strategies = {
  list: (query) => ({ path: '/search', body: { query } }),
  sonar: chat('sonar'),
  'sonar-pro': chat('sonar-pro'),
  deep: chat('sonar-reasoning-pro'),
  text: chat('sonnet', { disable_search: true }),
}

const columns = ['CLI', ...Object.keys(strategies), 'Proof of clearing', 'Prompts apart', 'Refused']
console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`)
for (const version of process.argv.slice(2)) {
  const scratch = mkdtempSync(join(tmpdir(), 'csp-cli-'))
  try {
    console.log(`| ${[version, ...(await cells(version, scratch))].join(' | ')} |`)
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function cells(version, scratch) {
  const installed = join(scratch, 'cli')
  mkdirSync(installed)
  const name = `@anthropic-ai/claude-code@${version}`
  await run('npm', ['install', '--prefix', installed, '--no-audit', '--no-fund', '--ignore-scripts', name])
  const binary = findClaude({}, [installed], [])
  if (!binary) throw new Error(`${name} has no program for this platform`)
  const sandbox = createSandbox()
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: sandbox.fetch })
  const environment = {
    PATH: process.env['PATH'],
    HOME: scratch,
    TMPDIR: scratch,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`,
    CLAUDE_CODE_OAUTH_TOKEN: 'sandbox-token-that-opens-nothing',
    CSP_CLAUDE_BIN: binary,
    CSP_API_KEYS: callers.join(),
    CSP_DAILY_SEARCHES: '0',
    CSP_EXCERPTS: 'lines',
    CSP_MEMORY: 'off', // it would answer for a search that fails
  }
  const flags = ['serve', '--port', '0', '--rate', '0', '--log-level', 'info']
  const csp = spawn('node', [launcher, ...flags], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const url = await addressIn(csp.stderr)
    const outcomes = []
    for (const [strategy, requestFor] of Object.entries(strategies))
      outcomes.push(await outcomeOf(url, strategy, requestFor))
    const bodies = sandbox.requests().map(({ body }) => JSON.stringify(body))
    const seen = new Set(bodies.map((body) => callers.filter((caller) => body.includes(wordOf(caller))).join()))
    const isApart = callers.every((caller) => seen.has(caller)) && !seen.has(callers.join())
    const problem = await problemOf(url)
    const proof = (await provesClearing(binary, environment)) ? 'yes' : 'no'
    return [...outcomes, proof, bodies.length === 0 ? '–' : isApart ? 'yes' : '**NO**', problem ? 'yes' : 'no']
  } finally {
    await endOf(csp)
    await server.stop(true)
  }
}

/** The word that stands in each prompt of a caller's. */
function wordOf(caller) {
  return `wombat-of-${caller}`
}

/** One search of each caller, one of both at once, and one more of the first, on the processes that served before. */
async function outcomeOf(url, strategy, requestFor) {
  const ask = async (caller, at) => {
    const { path, body } = requestFor(`What is a ${wordOf(caller)}, ${strategy} ${at}?`)
    const headers = { authorization: `Bearer ${caller}`, 'content-type': 'application/json' }
    const startedAt = performance.now()
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const reply = await response.json()
    const isServed = response.ok && (reply.results?.length > 0 || reply.choices?.[0]?.message?.content)
    return { ms: performance.now() - startedAt, fault: isServed ? undefined : String(response.status) }
  }
  const [amber, birch] = callers
  const first = [await ask(amber, 1), await ask(birch, 2), ...(await Promise.all([ask(amber, 3), ask(birch, 4)]))]
  const last = await ask(amber, 5)
  const fault = [...first, last].find((each) => each.fault)?.fault
  return fault ?? `ok, ${Math.round(last.ms)} ms`
}

async function problemOf(url) {
  const response = await fetch(`${url}/health`, { headers: { authorization: `Bearer ${callers[0]}` } })
  return (await response.json()).backends?.[0]?.problem
}

/** Whether the CLI reports that it has cleared a session. */
async function provesClearing(binary, environment) {
  const args = workerArguments('writer', 'You write.', new Set())
  const env = childEnvironment({ environment, auth: 'subscription', effort: 'low' })
  const cli = spawn(binary, args, { env, cwd: environment.HOME, stdio: ['pipe', 'pipe', 'ignore'] })
  cli.stdin.end(`${JSON.stringify({ type: 'user', message: { role: 'user', content: '/clear' } })}\n`)
  let output = ''
  for await (const piece of cli.stdout) output += piece
  return output.includes('"conversation_reset"')
}

async function addressIn(stream) {
  let log = ''
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    log += piece
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? []
    if (!url) continue
    stream.resume()
    return url
  }
  throw new Error(`csp did not start: ${log}`)
}

async function endOf(child) {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  else return
  await ended
}
