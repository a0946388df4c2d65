import { describe, expect, test } from 'bun:test'
import { Extractor, type ExtractorOptions } from '../../../src/pages/extract/pool.ts'
import { openPageWorker } from '../../../src/runtime/open-page-worker.ts'
import { failureOf } from '../../contract/page-reader.ts'
import { eventually } from '../../support/processes.ts'

const never = new AbortController().signal
const bees = () => ({
  body: new TextEncoder().encode('<p>Bees hum.'),
  contentType: 'text/html',
  url: 'https://bees.example/',
  mainContentOnly: true,
})

/** Threads that do one odd thing each, in order, and then ones that read. */
function oddThreads(...scripts: readonly string[]) {
  const opened: Worker[] = []
  let ended = 0
  const openWorker = (): Worker => {
    const script = scripts[opened.length]
    const worker =
      script === undefined ? openPageWorker() : new Worker(`data:text/javascript,${encodeURIComponent(script)}`)
    worker.addEventListener('close', () => ended++)
    opened.push(worker)
    return worker
  }
  return { openWorker, opened, ended: () => ended }
}

/** How reading fails in such a thread, which has ended then. */
async function failureIn(script: string, options: Partial<ExtractorOptions> = {}) {
  const { openWorker, ended } = oddThreads(script)
  const extractor = new Extractor({ maxWorkers: 1, ...options, openWorker })
  const code = await failureOf(extractor.extract(bees(), never))
  await eventually(() => ended() === 1)
  extractor.close()
  return code
}

describe('a thread that reads pages', () => {
  test('is ended when it takes too long, even in an endless loop', async () => {
    expect(await failureIn('onmessage = () => { for (;;); }', { timeoutMs: 200 })).toBe('timeout')
  })

  test('is ended when the process grows too much meanwhile', async () => {
    let bytes = 1e9
    const memoryBytes = () => (bytes += 1e8)
    expect(await failureIn('onmessage = () => { for (;;); }', { memoryBytes, maxGrowthBytes: 2e8 })).toBe('too-large')
  })

  test.each(['"nonsense"', '{}', '{ page: { contents: 5 } }', '{ error: {} }', 'null'])(
    'is ended when it answers %s',
    async (reply) => expect(await failureIn(`onmessage = () => postMessage(${reply})`)).toBe('failed'),
  )

  test('that breaks is replaced', async () => {
    const { openWorker } = oddThreads('onmessage = () => { throw new Error("broken") }')
    const extractor = new Extractor({ openWorker, maxWorkers: 1 })
    expect(await failureOf(extractor.extract(bees(), never))).toBe('failed')
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
  })

  test('is ended when its caller leaves', async () => {
    const { openWorker, ended } = oddThreads('onmessage = () => { for (;;); }')
    const extractor = new Extractor({ openWorker, maxWorkers: 1 })
    const own = new AbortController()
    const left = extractor.extract(bees(), own.signal).catch((error: unknown) => error)
    const waits = extractor.extract(bees(), never)
    setTimeout(() => own.abort(new Error('gone')), 50)
    expect(await left).toEqual(new Error('gone'))
    expect((await waits).contents.text).toBe('Bees hum.')
    await eventually(() => ended() === 1)
    extractor.close()
  })

  test('goes on when its caller leaves a page that is soon read', async () => {
    const page = '{ page: { contentType: "", contents: { markdown: "", text: "Soon.", html: "" }, links: [] } }'
    const { openWorker, opened } = oddThreads(`onmessage = () => setTimeout(() => postMessage(${page}), 30)`)
    const extractor = new Extractor({ openWorker, maxWorkers: 1, graceMs: 30_000 })
    const left = extractor.extract(bees(), AbortSignal.timeout(10))
    expect(await left.catch(String)).toContain('TimeoutError')
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Soon.')
    expect(opened).toHaveLength(1)
    extractor.close()
  })

  test('takes pages that are read with care first, and of rough ones the latest', async () => {
    const echo = '({ data }) => postMessage({ page: { contentType: data.url, contents: {}, links: [] } })'
    const { openWorker } = oddThreads(
      `onmessage = ${echo.replace('contents: {}', 'contents: { markdown: "", text: "", html: "" }')}`,
    )
    const extractor = new Extractor({ openWorker, maxWorkers: 1 })
    const order: string[] = []
    const read = async (url: string, isRough: boolean) => {
      order.push((await extractor.extract({ ...bees(), url, isRough }, never)).contentType)
    }
    await Promise.all([
      read('first', true),
      read('rough 1', true),
      read('careful 1', false),
      read('rough 2', true),
      read('careful 2', false),
    ])
    expect(order).toEqual(['first', 'careful 1', 'careful 2', 'rough 2', 'rough 1'])
    extractor.close()
  })

  test('serves one page after the other, and ends without work', async () => {
    const { openWorker, opened, ended } = oddThreads()
    const extractor = new Extractor({ openWorker, idleMs: 50, maxWorkers: 2 })
    await Promise.all(Array.from({ length: 8 }, () => extractor.extract(bees(), never)))
    expect(opened.length).toBeWithin(1, 3)
    await eventually(() => ended() === opened.length)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
    expect(await failureOf(extractor.extract(bees(), never))).toBe('cancelled')
  })

  test('is started ahead, no more of them than may run, and ends without work as well', async () => {
    const { openWorker, opened, ended } = oddThreads()
    const extractor = new Extractor({ openWorker, idleMs: 2000, maxWorkers: 2 })
    for (const pages of [1, 1, 10]) extractor.warm(pages)
    expect(opened).toHaveLength(2)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    expect(opened).toHaveLength(2)
    await eventually(() => ended() === 2)
    extractor.warm()
    expect(opened).toHaveLength(3)
    extractor.close()
    extractor.warm()
    expect(opened).toHaveLength(3)
  })

  test('that breaks at its start is not taken for a page', async () => {
    const { openWorker, ended } = oddThreads('throw new Error("broken")')
    const extractor = new Extractor({ openWorker, maxWorkers: 1 })
    extractor.warm()
    await eventually(() => ended() === 1)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
  })
})
