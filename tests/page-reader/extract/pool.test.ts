import { describe, expect, test } from 'bun:test'
import { Extractor, type ExtractorOptions, type ReaderProcess } from '@csp/page-reader/extract/pool'
import { eventually } from '@csp/testing/eventually'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'

const never = new AbortController().signal
const bees = () => ({
  body: new TextEncoder().encode('<p>Bees hum.'),
  contentType: 'text/html',
  url: 'https://bees.example/',
  mainContentOnly: true,
})

/** Processes that do one odd thing each, in order, and then ones that read. */
function oddReaders(...scripts: readonly string[]) {
  const opened: ReaderProcess[] = []
  let ended = 0
  const openReader = (): ReaderProcess => {
    const script = scripts[opened.length]
    const odd = script === undefined ? undefined : { command: process.execPath, args: ['-e', script] }
    const inner = openPageReader(odd)
    const reader: ReaderProcess = {
      onReply: undefined,
      onEnd: undefined,
      send: (page) => inner.send(page),
      end: () => inner.end(),
    }
    inner.onReply = (reply) => reader.onReply?.(reply)
    inner.onEnd = (signal) => {
      ended++
      reader.onEnd?.(signal)
    }
    opened.push(reader)
    return reader
  }
  return { openReader, opened, ended: () => ended }
}

/** How reading fails in such a process, which has ended then. */
async function failureIn(script: string, options: Partial<ExtractorOptions> = {}) {
  const { openReader, ended } = oddReaders(script)
  const extractor = new Extractor({ maxReaders: 1, ...options, openReader })
  const code = await failureOf(extractor.extract(bees(), never))
  await eventually(() => ended() === 1)
  extractor.close()
  return code
}

describe('a process that reads pages', () => {
  test('is ended when it takes too long, even in an endless loop', async () => {
    expect(await failureIn('process.on("message", () => { for (;;); })', { timeoutMs: 200 })).toBe('timeout')
  })

  test('is too much for its memory when something else kills it', async () => {
    expect(await failureIn('process.on("message", () => process.kill(process.pid, "SIGKILL"))')).toBe('too-large')
  })

  test.each(['"nonsense"', '{}', '{ page: { contents: 5 } }', '{ error: {} }', 'null'])(
    'is ended when it answers %s',
    async (reply) => expect(await failureIn(`process.on("message", () => process.send(${reply}))`)).toBe('failed'),
  )

  test('that breaks is replaced', async () => {
    const { openReader } = oddReaders('process.on("message", () => { throw new Error("broken") })')
    const extractor = new Extractor({ openReader, maxReaders: 1 })
    expect(await failureOf(extractor.extract(bees(), never))).toBe('failed')
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
  })

  test('is ended when its caller leaves', async () => {
    const { openReader, ended } = oddReaders('process.on("message", () => { for (;;); })')
    const extractor = new Extractor({ openReader, maxReaders: 1 })
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
    const { openReader, opened } = oddReaders(`process.on("message", () => process.send(${page}))`)
    const own = new AbortController()
    const leaving = () => {
      const reader = openReader()
      const { send } = reader
      // Before the process can have answered.
      const sent = (...page: Parameters<typeof send>) => {
        send(...page)
        queueMicrotask(() => own.abort(new DOMException('It took too long.', 'TimeoutError')))
      }
      return Object.assign(reader, { send: sent })
    }
    const extractor = new Extractor({ openReader: leaving, maxReaders: 1, graceMs: 30_000 })
    expect(await extractor.extract(bees(), own.signal).catch(String)).toContain('TimeoutError')
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Soon.')
    expect(opened).toHaveLength(1)
    extractor.close()
  })

  test('takes pages that are read with care first, and of rough ones the latest', async () => {
    const page = '{ contentType: url, contents: { markdown: "", text: "", html: "" }, links: [] }'
    const { openReader } = oddReaders(`process.on("message", ({ url }) => process.send({ page: ${page} }))`)
    const extractor = new Extractor({ openReader, maxReaders: 1 })
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

  test('leaves a place for other pages, whatever PDFs there are', async () => {
    const page = '{ contentType: url, contents: { markdown: "", text: "", html: "" }, links: [] }'
    const hang = `process.on("message", ({ url }) => url === "pdf" || process.send({ page: ${page} }))`
    const { openReader, opened } = oddReaders(hang, hang)
    const extractor = new Extractor({ openReader, maxReaders: 2, graceMs: 0 })
    const own = new AbortController()
    const pdf = { ...bees(), body: new TextEncoder().encode('%PDF-1.4'), url: 'pdf' }
    const pdfs = Array.from({ length: 3 }, () => extractor.extract(pdf, own.signal).catch(String))
    for (const url of ['1', '2', '3'])
      expect((await extractor.extract({ ...bees(), url }, never)).contentType).toBe(url)
    expect(opened).toHaveLength(2)
    own.abort('left')
    expect(await Promise.all(pdfs)).toEqual(['left', 'left', 'left'])
    extractor.close()
  })

  test('lets callers take turns', async () => {
    const page = '{ contentType: url, contents: { markdown: "", text: "", html: "" }, links: [] }'
    const { openReader } = oddReaders(`process.on("message", ({ url }) => process.send({ page: ${page} }))`)
    const extractor = new Extractor({ openReader, maxReaders: 1 })
    const order: string[] = []
    const read = async (url: string, caller: string) => {
      order.push((await extractor.extract({ ...bees(), url }, never, caller)).contentType)
    }
    await Promise.all([
      ...['ann 1', 'ann 2', 'ann 3', 'ann 4'].map((url) => read(url, 'ann')),
      ...['bob 1', 'bob 2'].map((url) => read(url, 'bob')),
    ])
    expect(order).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3', 'bob 2', 'ann 4'])
    extractor.close()
  })

  test('serves one page after the other, and ends without work', async () => {
    const { openReader, opened, ended } = oddReaders()
    const extractor = new Extractor({ openReader, idleMs: 50, maxReaders: 2 })
    await Promise.all(Array.from({ length: 8 }, () => extractor.extract(bees(), never)))
    expect(opened.length).toBeWithin(1, 3)
    await eventually(() => ended() === opened.length)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
    expect(await failureOf(extractor.extract(bees(), never))).toBe('cancelled')
  })

  test('is started ahead, no more of them than may run', async () => {
    const { openReader, opened } = oddReaders()
    const extractor = new Extractor({ openReader, idleMs: 60_000, maxReaders: 2 })
    for (const pages of [1, 1, 10]) extractor.warm(pages)
    expect(opened).toHaveLength(2)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    expect(opened).toHaveLength(2)
    extractor.close()
    extractor.warm()
    expect(opened).toHaveLength(2)
  })

  test('that was started ahead ends without work as well', async () => {
    const { openReader, opened, ended } = oddReaders()
    const extractor = new Extractor({ openReader, idleMs: 20, maxReaders: 2 })
    extractor.warm(10)
    await eventually(() => ended() === 2)
    const page = extractor.extract(bees(), never)
    extractor.warm()
    expect((await page).contents.text).toBe('Bees hum.')
    expect(opened).toHaveLength(3)
    extractor.close()
  })

  test('that breaks at its start is not taken for a page', async () => {
    const { openReader, ended } = oddReaders('throw new Error("broken")')
    const extractor = new Extractor({ openReader, maxReaders: 1 })
    extractor.warm()
    await eventually(() => ended() === 1)
    expect((await extractor.extract(bees(), never)).contents.text).toBe('Bees hum.')
    extractor.close()
  })
})
