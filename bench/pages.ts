import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Extractor } from '../src/pages/extract/pool.ts'
import { openPageWorker } from '../src/runtime/open-page-worker.ts'

/**
 * Measures what csp adds to the fetch of a page: from its bytes to Markdown, text, HTML and metadata in the worker, and
 * for how long the event loop of the server was kept from other work meanwhile.
 */
const sentence =
  'Harbour seals <a href="/rest">rest</a> on the ice for hours, and dive for <b>fish</b> and crabs, as a rule; see below. '
const article = (bytes: number): string => {
  const paragraph = `<div class="text block"><p id="p">${sentence.repeat(4)}</p></div>\n`
  const menu = '<li class="menu-item"><a href="/menu">An entry of the menu</a></li>'.repeat(150)
  const list = `<ul>${`<li>${sentence}</li>`.repeat(5)}</ul>`
  const head = '<title>Seals</title><meta property="article:published_time" content="2026-05-04">'
  const start = `<!doctype html><html lang="en"><head>${head}</head><body><nav><ul>${menu}</ul></nav><article><h1>Seals</h1>`
  const section = `<h2>A section</h2>${paragraph.repeat(5)}${list}`
  return `${start}${section.repeat(Math.ceil((bytes - start.length) / section.length))}</article></body></html>`
}

const extractor = new Extractor({ openWorker: openPageWorker })
const encoder = new TextEncoder()

async function read(html: string): Promise<number> {
  const body = encoder.encode(html)
  const startedAt = performance.now()
  const extraction = { body, contentType: 'text/html', url: 'https://seals.example/', mainContentOnly: true }
  await extractor.extract(extraction, new AbortController().signal)
  return performance.now() - startedAt
}

async function measure(kilobytes: number, rounds: number): Promise<void> {
  const html = article(kilobytes * 1000)
  const first = await read(html)
  for (let round = 0; round < 5; round++) await read(html)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await read(html))
  delay.disable()
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
  const blocked = `event loop late by ${(delay.percentile(50) / 1e6).toFixed(1)} ms median, ${(delay.max / 1e6).toFixed(1)} ms at most`
  process.stdout.write(
    `${kilobytes} KB: first ${first.toFixed(0)} ms, median ${at(0.5)} ms, p90 ${at(0.9)} ms; ${blocked}\n`,
  )
}

await measure(20, 50)
await measure(170, 50)
await measure(1000, 5)
extractor.close()
