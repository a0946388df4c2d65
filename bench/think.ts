import { cpus, loadavg } from 'node:os'
import { startCsp } from '../tests/support/csp-process.ts'
import { startPageSite } from '../tests/support/page-site.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'
import { chat, read } from './strategies.ts'

/**
 * Measures what a user waits for: the real CLI on a stand-in that thinks, searches and writes at the pace of real models.
 * Flags go to csp: `npm run bench:think -- --search-model sonnet`; `--only=burst` measures what has that word in its name.
 */
const models = { haiku: { tokensPerSecond: 160 }, sonnet: { tokensPerSecond: 80 } }
const site = startPageSite({ everywhere: true, paragraphs: 500, before: (path) => Bun.sleep(pageMs(path)) })
/**
 * Forty sites, each with its own address, of which a list has ten. Ten lists then have two or three pages of each site,
 * as ten questions that one agent asks about one matter. Linux only.
 */
const hosts = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 1}:${site.port}`)
/** 150 to 1350 ms until a page of 90 KB comes. */
const pageMs = (path: string) => 150 + (Bun.hash.crc32(path) % 1200)
const standIn = startStandIn({
  resultCount: 10,
  sites: hosts.map((host) => `http://${host}`),
  excerptLength: 130,
  pace: { firstTokenMs: 700, searchMs: 900, models },
})
const flags = process.argv.slice(2).filter((flag) => !flag.startsWith('--only='))
const only = process.argv.find((flag) => flag.startsWith('--only='))?.slice('--only='.length) ?? ''
const own = ['--excerpts', 'auto', '--cache-ttl', '0', '--pages-allow', hosts.join(',')]
const csp = await startCsp({ standInUrl: standIn.url, flags: [...own, ...flags] })

/** Of different lengths, as the texts about them. */
const topics = [
  'seals',
  'harbour seals on ice',
  'how long seals dive',
  'seals of the northern sea, their food and young',
]
let asked = 0
const question = () => `${topics[asked % topics.length]} number ${asked++}`

type Excerpts = 'auto' | 'lines' | 'pages' | 'none'
/** Asks for a list of ten, and returns how many of its rows have an excerpt. */
async function list(excerpts: Excerpts): Promise<number> {
  const headers = excerpts === 'auto' ? {} : { 'x-csp-excerpts': excerpts }
  const response = await fetch(`${csp.url}/v1/search?q=${encodeURIComponent(question())}`, { headers })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const { results } = (await response.json()) as { readonly results: readonly { readonly snippet: string }[] }
  return results.filter(({ snippet }) => snippet).length
}

/** After this time csp lets a whole burst start. */
const restMs = 6000
async function lists(count: number, excerpts: Excerpts): Promise<number> {
  const found = await Promise.all(Array.from({ length: count }, () => list(excerpts)))
  return sum(found) / count
}

interface Measurement {
  readonly name: string
  readonly rounds: number
  /** Searches in a round. */
  readonly searches: number
  /** What it is compared with. */
  readonly one?: string
  /** Resolves with how many rows of a list or sources of an answer have an excerpt. */
  readonly run: () => Promise<Outcome | number>
}

interface Outcome {
  readonly rows?: number
  /** As of `performance.now()`. */
  readonly firstTextAt?: number
}

const single = (excerpts: Excerpts, name: string): Measurement => ({
  name,
  rounds: 20,
  searches: 1,
  run: () => list(excerpts),
})
const burst = (searches: number, excerpts: Excerpts, one: string): Measurement => ({
  name: `a burst of ${searches}: ${one}`,
  rounds: 3,
  searches,
  one,
  run: () => lists(searches, excerpts),
})
const names = {
  none: 'a list of ten without excerpts, the search alone',
  auto: 'a list of ten, by default (excerpts from its pages)',
  lines: 'a list of ten, excerpts written by the model (`lines`)',
}
const answer = (name: string, model: string): Measurement => ({
  name,
  rounds: 8,
  searches: 1,
  run: () => answered(chat(csp.url, model, question())),
})

/** A report; its first round has so many searches. */
const report = (searches: number, effort: string): Measurement => ({
  name: `a report, ${searches} searches at once (${effort})`,
  rounds: 3,
  searches,
  run: () => answered(chat(csp.url, 'sonar-deep-research', question(), { reasoning_effort: effort })),
})

/** Reads the stream of an answer. */
async function answered(request: Request): Promise<Outcome> {
  const response = await fetch(request)
  let firstTextAt: number | undefined
  let sources: readonly { readonly snippet: string }[] = []
  for (const frame of await Array.fromAsync(frames(response), (text) => ({ text, at: performance.now() }))) {
    const { choices, search_results } = JSON.parse(frame.text)
    if (choices[0].delta.content) firstTextAt ??= frame.at
    sources = search_results ?? sources
  }
  if (firstTextAt === undefined) throw new Error(`${response.status}: no text`)
  return { rows: sources.filter(({ snippet }) => snippet).length, firstTextAt }
}

async function* frames({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) if (part.startsWith('data: {')) yield part.slice('data: '.length)
  }
}
const measurements = [
  single('none', names.none),
  single('auto', names.auto),
  single('lines', names.lines),
  { name: 'a list of five with the text of its pages (`include_raw_content`)', rounds: 10, searches: 1, run: withText },
  answer('an answer, fast', 'sonar'),
  answer('an answer, standard', 'sonar-pro'),
  report(5, 'medium'),
  report(10, 'high'),
  ...[10, 20].flatMap((count) => [
    burst(count, 'none', names.none),
    burst(count, 'auto', names.auto),
    burst(count, 'lines', names.lines),
  ]),
].filter(({ name }) => name.includes(only) || (only === 'burst' && Object.values(names).includes(name)))

for (const model of ['sonar', 'sonar-pro', 'sonar-pro']) await read(chat(csp.url, model, question()))
await lists(2, 'auto')
const medians = new Map<string, number>()
print(
  `${process.platform} ${process.arch}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, flags of csp: ${flags.join(' ') || 'none'}. Times in s.`,
)
print('')
print(
  '| | median | p90 | first text | measured | of one | rows with an excerpt | model tokens | processor ms of csp (its server thread), of the CLI |',
)
print('|---|---:|---:|---:|---:|---:|---:|---:|---:|')
for (const measurement of measurements) print(await measured(measurement))
await csp.stop()
await Promise.all([standIn.stop(), site.stop()])

async function measured({ name, rounds, searches, one, run }: Measurement): Promise<string> {
  const times: number[] = []
  const firstTexts: number[] = []
  const rows: number[] = []
  const before = { processor: processorTime(csp.serverPid()), tokens: standIn.textTokens() }
  for (let round = 0; round < rounds; round++) {
    if (searches > 1) await Bun.sleep(restMs)
    const startedAt = performance.now()
    const outcome = await run()
    times.push(performance.now() - startedAt)
    const { rows: found, firstTextAt }: Outcome = typeof outcome === 'number' ? { rows: outcome } : outcome
    if (found !== undefined) rows.push(found)
    if (firstTextAt !== undefined) firstTexts.push(firstTextAt - startedAt)
  }
  const after = processorTime(csp.serverPid())
  const each = (total: number) => Math.round(total / rounds / searches)
  const { median, p90, count } = summarise(times)
  medians.set(name, median)
  const single = one === undefined ? undefined : medians.get(one)
  return [
    '',
    name,
    seconds(median),
    seconds(p90),
    firstTexts.length > 0 ? seconds(summarise(firstTexts).median) : '',
    count,
    single === undefined ? '' : (median / single).toFixed(2),
    rows.length > 0 ? (sum(rows) / rows.length).toFixed(1) : '',
    each(standIn.textTokens() - before.tokens),
    `${each(after.csp - before.processor.csp)} (${each(after.server - before.processor.server)}), ${each(after.cli - before.processor.cli)}`,
    '',
  ]
    .join(' | ')
    .trim()
}

async function withText(): Promise<Outcome> {
  const body = { query: question(), max_results: 5, include_raw_content: true }
  const headers = { 'content-type': 'application/json' }
  await read(new Request(`${csp.url}/tavily/search`, { method: 'POST', headers, body: JSON.stringify(body) }))
  return {}
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
