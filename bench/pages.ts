import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Extractor } from '@csp/page-reader/extract/pool'
import { FoundPages } from '@csp/page-reader/layers/allowed'
import { excerpted, PageExcerpts } from '../src/executor/layers/excerpts/excerpted.ts'
import { PageTally } from '../src/executor/layers/metering/page-tally.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { createPageReader } from '../src/runtime/server/create-page-reader.ts'
import { openPageReader } from '../src/runtime/server/open-page-reader.ts'
import { done, fakeExecutor, requestFor } from '../tests/support/fake-executor.ts'
import { memoryLedger } from '../tests/support/memory-ledger.ts'
import { processorTime } from './processor-time.ts'
import { samplePage } from './sample-page.ts'
import { summarise } from './statistics.ts'
import { slicesOf } from './thread-slices.ts'

/**
 * Measures what csp adds to the fetch of a page, from its bytes to Markdown, text, HTML and metadata in the process that reads it; and
 * what the server's own thread does for a page, from the request to what is kept on disk, in its longest turn. Both in
 * processor time as well, which a busy machine does not change.
 */
const never = new AbortController().signal
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const ms = (value: number): string => value.toFixed(1)

await measureExtraction()
await measureServer()

async function measureExtraction(): Promise<void> {
  const extractor = new Extractor({ openReader: openPageReader, maxReaders: 1 })
  const encoder = new TextEncoder()
  print('| A page in its process | first | median | p90 | processor time, mean |')
  print('|---|---:|---:|---:|---:|')
  for (const [kilobytes, rounds] of [
    [20, 50],
    [170, 50],
    [1000, 5],
  ] as const) {
    for (const isRough of [false, true]) {
      const html = samplePage(kilobytes * 1000)
      const times: number[] = []
      const processorBefore = processorTime(process.pid).cli
      for (let round = -5; round < rounds; round++) {
        const extraction = { body: encoder.encode(html), contentType: 'text/html', url: 'https://seals.example/' }
        const startedAt = performance.now()
        await extractor.extract({ ...extraction, mainContentOnly: true, isRough }, never)
        times.push(performance.now() - startedAt)
      }
      const { median, p90 } = summarise(times.slice(5))
      const name = `${kilobytes} KB${isRough ? ', roughly' : ''}`
      const processor = (processorTime(process.pid).cli - processorBefore) / times.length
      print(`| ${name} | ${ms(times[0] ?? 0)} | ${ms(median)} | ${ms(p90)} | ${ms(processor)} |`)
    }
  }
  extractor.close()
}

/** With the reader as it is configured, against a site in another thread. */
async function measureServer(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'csp-bench-'))
  const site = new Worker(new URL('./page-site-thread.ts', import.meta.url))
  const port = await new Promise<number>((resolve) => {
    site.onmessage = ({ data }) => resolve(data)
  })
  const hosts = Array.from({ length: 200 }, (_, index) => `127.0.1.${index + 1}:${port}`)
  const { config } = loadConfig({ 'pages-allow': hosts.join(',') }, { HOME: home }, home)
  const pages = createPageReader(config, new FoundPages(), join(home, 'cache'), new PageTally(memoryLedger()))
  let asked = 0
  const url = (kilobytes: number): string => `http://${hosts[asked % hosts.length]}/${kilobytes}?n=${asked++}`
  const read = (kilobytes: number) => pages.forCallers.read({ url: url(kilobytes) }, { signal: never })
  const list = excerpted(new PageExcerpts({ reader: pages.forSearches, source: 'pages' }))(
    fakeExecutor(async function* () {
      const results = Array.from({ length: 10 }, () => ({ title: 'Seals', url: url(170), source: 'fake' }))
      yield { type: 'search-results', id: '1', results }
      yield done
    }),
  )
  const readList = async (): Promise<void> => {
    for await (const _ of list.search(requestFor('how long do seals dive for fish'), { signal: never }));
  }
  print('\n| The server thread, processor time | a page or list | longest turn, median | at most |')
  print('|---|---:|---:|---:|')
  await measured('nothing, for 100 ms', 20, () => Bun.sleep(100))
  await measured('a page of 20 KB', 30, () => read(20))
  await measured('a page of 170 KB', 30, () => read(170))
  await measured('a page of 1 MB', 5, () => read(1000))
  await measured('a list with ten pages of 170 KB', 20, readList)
  await pages.close()
  site.terminate()
  rmSync(home, { recursive: true, force: true })
}

async function measured(name: string, rounds: number, work: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 5; round++) await work()
  const slices = []
  for (let round = 0; round < rounds; round++) slices.push(await slicesOf(work))
  const total = summarise(slices.map((slice) => slice.total)).median
  const { median, p99 } = summarise(slices.map(({ longest }) => longest))
  print(`| ${name} | ${ms(total)} | ${ms(median)} | ${ms(p99)} |`)
}
