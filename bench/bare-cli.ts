import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LineCutter } from '@csp/lib/lines'
import { directArguments } from '../src/executor/backends/claude/cli/launch.ts'
import { SearchServer } from '../src/executor/backends/claude/search-server/server.ts'
import { claudeEnvironment, realClaude } from '../tests/support/real-claude.ts'
import type { StandIn } from './stand-in.ts'
import { type Summary, summarise } from './statistics.ts'
import type { StrategyResult } from './strategies.ts'

const flags = [
  ...['--print', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  ...['--tools=WebSearch', '--allowedTools=WebSearch', '--strict-mcp-config', '--setting-sources='],
  ...['--restricted', '--no-session-persistence'],
]

/** The baseline: one `claude -p` for each search, on the same stand-in. */
export async function measureBareCli(standIn: StandIn, rounds: number): Promise<StrategyResult> {
  const home = mkdtempSync(join(tmpdir(), 'csp-bench-'))
  const run = async (prompt: string) => {
    const child = Bun.spawn([realClaude, ...flags], {
      env: claudeEnvironment(standIn.url, home),
      cwd: home,
      stdin: new Blob([prompt]),
      stdout: 'pipe',
      stderr: 'ignore',
    })
    await new Response(child.stdout).text()
    if ((await child.exited) !== 0) throw new Error('The bare CLI failed.')
  }
  await run('warm')
  const before = standIn.sandbox.stats()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await run(`bare number ${round}`)
    times.push(performance.now() - startedAt)
  }
  const after = standIn.sandbox.stats()
  rmSync(home, { recursive: true, force: true })
  return {
    strategy: 'bare `claude -p`',
    totalMs: summarise(times),
    callsPerSearch: (after.calls - before.calls) / rounds,
    bytesPerSearch: Math.round((after.bytes - before.bytes) / rounds),
  }
}

/** The CLI's share of the direct engine: its WebSearch, called over MCP without the rest of csp. */
export async function measureBareSearch(standIn: StandIn, rounds: number): Promise<StrategyResult> {
  const home = mkdtempSync(join(tmpdir(), 'csp-bench-'))
  const environment = claudeEnvironment(standIn.url, home)
  const process = { command: [realClaude, ...directArguments], environment, directory: home }
  const server = await SearchServer.start({ process, version: '0', onGone: () => {} })
  const search = (query: string) => server.search({ query }, new AbortController().signal, new Date())
  for (let round = 0; round < 5; round++) await search(`warm number ${round}`)
  const before = standIn.sandbox.stats()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await search(`bare search number ${round}`)
    times.push(performance.now() - startedAt)
    await Bun.sleep(40)
  }
  const after = standIn.sandbox.stats()
  await server.stop()
  rmSync(home, { recursive: true, force: true })
  return {
    strategy: 'bare `claude mcp serve`, its WebSearch alone',
    totalMs: summarise(times),
    callsPerSearch: (after.calls - before.calls) / rounds,
    bytesPerSearch: Math.round((after.bytes - before.bytes) / rounds),
  }
}

/** The CLI's own delay of the first text, from the stand-in to its standard output, in ms. */
export async function measureBareText(standIn: StandIn, rounds: number): Promise<Summary> {
  const home = mkdtempSync(join(tmpdir(), 'csp-bench-'))
  const child = Bun.spawn([realClaude, ...flags, '--input-format', 'stream-json', '--system-prompt', 'Write.'], {
    env: claudeEnvironment(standIn.url, home),
    cwd: home,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = linesOf(child.stdout)
  const delays: number[] = []
  for (let round = 0; round < rounds; round++) {
    const content = [{ type: 'text', text: `text number ${round}` }]
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`)
    child.stdin.flush()
    let textAt = Number.NaN
    for (let line = await output.next(); !line.done; line = await output.next()) {
      // The last text of the turn is the answer; earlier text may announce a search.
      if (line.value.includes('"message_start"')) textAt = Number.NaN
      if (Number.isNaN(textAt) && line.value.includes('"text_delta"')) textAt = performance.now()
      if (line.value.includes('"type":"result"')) break
    }
    delays.push(textAt - standIn.firstTextAt())
  }
  child.stdin.end()
  await child.exited
  rmSync(home, { recursive: true, force: true })
  return summarise(delays)
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const cutter = new LineCutter(Number.POSITIVE_INFINITY)
  for await (const chunk of stream) yield* cutter.take(chunk)
}
