import { cpus } from 'node:os'
import { startCsp } from '../tests/support/csp-process.ts'
import { startPageSite } from '../tests/support/page-site.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'
import { chat, read, results } from './strategies.ts'

/**
 * Measures what a user waits for: the real CLI on a stand-in that thinks, searches and writes at the pace of real models.
 * Flags go to csp: `npm run bench:think -- --search-model sonnet`.
 */
const models = { haiku: { tokensPerSecond: 160 }, sonnet: { tokensPerSecond: 80 } }
/** Ten sites, each with its own address, as the reader asks one host twice a second at most. Linux only. */
const site = startPageSite({ everywhere: true, paragraphs: 500, before: (path) => Bun.sleep(pageMs(path)) })
const hosts = Array.from({ length: 10 }, (_, index) => `127.0.0.${index + 1}:${site.port}`)
/** 150 to 1350 ms until a page of 100 KB comes. */
const pageMs = (path: string) => 150 + (Bun.hash.crc32(path) % 1200)
const standIn = startStandIn({
  resultCount: 10,
  sites: hosts.map((host) => `http://${host}`),
  excerptLength: 130,
  pace: { firstTokenMs: 700, searchMs: 900, models },
})
const flags = process.argv.slice(2)
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

const listFrom = (excerpts: 'lines' | 'pages') => () =>
  read(new Request(results(csp.url, question()), { headers: { 'x-csp-excerpts': excerpts } }))
const list = listFrom('lines')
const burst =
  (count: number, one = list) =>
  async () => {
    await Bun.sleep(restMs)
    return timed(() => Promise.all(Array.from({ length: count }, one)))
  }
/** After this time csp lets a whole burst start. */
const restMs = 6000

for (let round = 0; round < 3; round++) await read(chat(csp.url, 'sonar-pro', question()))
await list()
const tokensBefore = standIn.textTokens()
const lists = await repeated(20, () => timed(list))
const tokens = Math.round((standIn.textTokens() - tokensBefore) / lists.length)
await listFrom('pages')()
const fromPages = await repeated(20, () => timed(listFrom('pages')))
const excerpts = await repeated(10, excerptsOfList)
const withText = await repeated(10, () => timed(listWithText))
const fast = await repeated(8, () => timed(() => read(chat(csp.url, 'sonar', question()))))
const standard = await repeated(8, () => timed(() => read(chat(csp.url, 'sonar-pro', question()))))
const ten = await repeated(3, burst(10))
const tenByDefault = await repeated(
  3,
  burst(10, () => read(results(csp.url, question()))),
)
const twenty = await repeated(3, burst(20))
const twentyFromPages = await repeated(3, burst(20, listFrom('pages')))
await csp.stop()
await Promise.all([standIn.stop(), site.stop()])

const one = summarise(lists).median
const rows: readonly (readonly [string, readonly number[]])[] = [
  ['a list of ten, excerpts written by the model', lists],
  ['a list of ten, excerpts from its pages', fromPages],
  ['a list of five with the text of its pages (`include_raw_content`)', withText],
  ['an answer, fast', fast],
  ['an answer, standard', standard],
  ['a burst of ten lists with lines, until the last', ten],
  ['a burst of ten lists by default (three from pages, seven with lines), until the last', tenByDefault],
  ['a burst of twenty lists with lines, until the last', twenty],
  ['a burst of twenty lists from pages, until the last', twentyFromPages],
]
const lines = [
  `${process.platform} ${process.arch}, ${cpus().length} cores, flags of csp: ${flags.join(' ') || 'none'}. Times in s.`,
  '',
  '| | median | p90 | measured | in lists of ten |',
  '|---|---:|---:|---:|---:|',
  ...rows.map(([name, times]) => {
    const { median, p90, count } = summarise(times)
    return `| ${name} | ${seconds(median)} | ${seconds(p90)} | ${count} | ${(median / one).toFixed(2)} |`
  }),
  '',
  `Text that the model writes for a list with lines: ${tokens} tokens.`,
  `Rows of a list from pages that have an excerpt: ${(sum(excerpts) / excerpts.length).toFixed(1)} of 10.`,
]
process.stdout.write(`${lines.join('\n')}\n`)

/** How many rows of a list from pages have an excerpt. */
async function excerptsOfList(): Promise<number> {
  const response = await fetch(`${csp.url}/v1/search?q=${encodeURIComponent(question())}`, {
    headers: { 'x-csp-excerpts': 'pages' },
  })
  const { results: rows } = (await response.json()) as { readonly results: readonly { readonly snippet: string }[] }
  return rows.filter(({ snippet }) => snippet).length
}

function listWithText(): Promise<unknown> {
  const body = { query: question(), max_results: 5, include_raw_content: true }
  return read(
    new Request(`${csp.url}/tavily/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csp-excerpts': 'pages' },
      body: JSON.stringify(body),
    }),
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

async function repeated(rounds: number, measure: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await measure())
  return times
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
