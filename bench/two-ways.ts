import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { eventData } from '@csp/lib/event-stream'
import { startCsp } from '../tests/support/csp-process.ts'
import { startPageSite } from '../tests/support/page-site.ts'
import { descendantsOf } from '../tests/support/processes.ts'
import { realClaude } from '../tests/support/real-claude.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'
import { chat } from './strategies.ts'

// Answers in both ways that Claude has, in turns and in one run, with the real CLI on a stand-in that thinks: one csp
// has `--answers pages`, the other `--answers search`. `--rounds=5`: answers of each model one by one; `--bursts=2`: ten
// at once, also with `--answers auto`, which waits for no worker. Times in ms, memory with the CLI's processes (proportional set size). Linux only.
const numberOf = (name: string, usual: number) =>
  Number(process.argv.find((flag) => flag.startsWith(`--${name}=`))?.split('=')[1] ?? usual)
const pageMs = 300
const site = startPageSite({ everywhere: true, paragraphs: 200, before: () => Bun.sleep(pageMs) })
const hosts = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 1}:${site.port}`)
const models = { haiku: { tokensPerSecond: 160 }, sonnet: { tokensPerSecond: 80 } }
const pace = { firstTokenMs: 700, searchMs: 900, models }
const standIn = startStandIn({ resultCount: 10, sites: hosts.map((host) => `http://${host}`), pace })
const environment = { CSP_WARM_UP: 'on', CSP_CLAUDE_BIN: realClaude }
const flags = ['--excerpts', 'auto', '--cache-ttl', '0', '--pages-allow', hosts.join(',')]
const ways = await Promise.all(
  ['pages', 'search', 'auto'].map(async (way) => ({
    way,
    csp: await startCsp({ standInUrl: standIn.url, flags: [...flags, '--answers', way], environment }),
  })),
)
type Csp = (typeof ways)[number]['csp']

let asked = 0
async function answer(csp: Csp, model: string) {
  const startedAt = performance.now()
  const { body } = await fetch(chat(csp.url, model, `How do seals dive, number ${asked++}?`))
  let firstText = Number.NaN
  let length = 0
  for await (const data of eventData(body ?? new Blob().stream(), 1e8)) {
    const text: string = data.startsWith('{') ? (JSON.parse(data).choices[0].delta.content ?? '') : ''
    if (text && Number.isNaN(firstText)) firstText = performance.now() - startedAt
    length += text.length
  }
  return { firstText, end: performance.now() - startedAt, length }
}

// What a search weighs is known from the first answer in one call on.
for (const { csp } of ways.slice(2)) await answer(csp, 'sonar')
const median = (values: readonly number[]) => Math.round(summarise(values).median)
console.log(`load ${loadavg()[0]?.toFixed(1)}`)
for (const { way, csp } of ways.slice(0, 2))
  console.log(`the first after the start, ${way}: ${JSON.stringify(await answer(csp, 'sonar-pro'))}`)
for (const model of ['sonar-pro', 'sonar']) {
  const seen = ways.slice(0, 2).map(({ way, csp }) => ({
    way,
    csp,
    replies: [] as Awaited<ReturnType<typeof answer>>[],
    own: 0,
    server: 0,
  }))
  for (let round = 0; round <= numberOf('rounds', 5); round++)
    for (const one of seen) {
      const before = processorTime(one.csp.serverPid())
      const reply = await answer(one.csp, model)
      await Bun.sleep(300)
      const after = processorTime(one.csp.serverPid())
      if (round === 0) continue
      one.replies.push(reply)
      one.own += after.csp - before.csp
      one.server += after.server - before.server
    }
  for (const { way, replies, own, server } of seen) {
    const [first, end] = [median(replies.map((it) => it.firstText)), median(replies.map((it) => it.end))]
    const each = (total: number) => Math.round(total / replies.length)
    console.log(
      `${model}, ${way}: first text ${first}, end ${end}, processor ${each(own)} (server ${each(server)}), ${median(replies.map((it) => it.length))} characters`,
    )
  }
}
for (const model of ['sonar-pro', 'sonar'])
  for (let round = 1; round <= numberOf('bursts', 2); round++) for (const one of ways) await burst(model, one)

async function burst(model: string, { way, csp }: (typeof ways)[number]): Promise<void> {
  await Bun.sleep(6000)
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(csp))
  }, 500)
  const before = processorTime(csp.serverPid())
  const startedAt = performance.now()
  const replies = await Promise.all(Array.from({ length: 10 }, () => answer(csp, model)))
  const all = performance.now() - startedAt
  clearInterval(timer)
  const worst = Math.max(...replies.map((it) => it.firstText))
  const own = processorTime(csp.serverPid()).csp - before.csp
  console.log(
    `ten ${model} at once, ${way}: all ${Math.round(all)}, worst first text ${Math.round(worst)}, ${Math.round(most)} MiB, processor ${Math.round(own / 10)} each`,
  )
}
await Promise.all([...ways.map(({ csp }) => csp.stop()), standIn.stop(), site.stop()])

function memoryOf({ pid }: Csp): number {
  const sizes = [pid, ...descendantsOf(pid).map((child) => child.pid)].map((each) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}
