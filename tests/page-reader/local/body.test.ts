import { expect, test } from 'bun:test'
import type { IncomingMessage, RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { raced } from '@csp/lib/abort'
import type { BodyReader } from '@csp/page-reader/local/local'
import { eventually } from '@csp/testing/eventually'
import { readBody } from '../../../packages/page-reader/src/local/body.ts'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { pdfOf, pdfPage } from '../../../packages/page-reader/test/extract/small-pdf.ts'
import { openSite, readerOf } from './site.ts'

/** What `readBody` takes of a reply. */
const replyOf = (...parts: readonly string[]) =>
  Object.assign(Readable.from(parts.map((part) => Buffer.from(part))), { headers: {} }) as unknown as IncomingMessage

/** A signal that counts its listeners. */
function countedSignal() {
  const { signal } = new AbortController()
  let listeners = 0
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--
    remove(...args)
  }
  return { signal, listeners: () => listeners }
}

test('a body may be as long as the limit, and not a byte longer', async () => {
  const { signal } = new AbortController()
  const read = (maxBytes: number, isCut = false) => readBody(replyOf('bees ', 'hum'), { maxBytes, isCut, signal })
  expect(Buffer.from(await read(8)).toString()).toBe('bees hum')
  expect(await failureOf(read(7))).toBe('too-large')
  expect(Buffer.from(await read(7, true)).toString()).toBe('bees hu')
})

test('a PDF may be longer than other pages, once there is room for it', async () => {
  const { signal } = new AbortController()
  let rooms = 0
  const makeRoom = async () => void rooms++
  const read = (...parts: string[]) =>
    readBody(replyOf(...parts), { maxBytes: 8, pdf: { maxBytes: 16, makeRoom }, signal })
  expect(await read('%PDF-1.4')).toHaveLength(8)
  expect(rooms).toBe(0)
  expect(await read('%PDF-1.4', ' bees', ' hu')).toHaveLength(16)
  expect(rooms).toBe(1)
  expect(await failureOf(read('%PDF-1.4', ' bees', ' hum'))).toBe('too-large')
  expect(await failureOf(read('bees %PDF'))).toBe('too-large')
})

test('large PDFs are in memory six at a time', async () => {
  const large = pdfOf([pdfPage('Bees hum.')], { pictureBytes: 3_000_000 })
  const paths = Array.from({ length: 8 }, (_, index) => `/${index}`)
  await using site = await openSite(
    Object.fromEntries(paths.map((path) => [path, (_, reply) => void reply.end(large)])),
  )
  const { promise: go, resolve: begin } = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  const extractor: BodyReader = {
    warm() {},
    async extract({ contentType }) {
      most = Math.max(most, ++running)
      await go
      running--
      return { contentType, contents: { markdown: '', text: '', html: '' }, links: [] }
    },
    close() {},
  }
  const reader = readerOf(site.port, { extractor, honoursRobots: false, timeoutMs: 60_000 })
  const { signal } = new AbortController()
  const reads = paths.map((path) => reader.read({ url: site.origin + path }, { signal }))
  await eventually(() => site.paths.length === 8 && running === 6)
  begin()
  expect(await Promise.all(reads)).toHaveLength(8)
  expect(most).toBe(6)
  await reader.close()
})

test('a signal is left without listeners when its work is done', async () => {
  const { signal, listeners } = countedSignal()
  await readBody(replyOf('bees'), { maxBytes: 8, signal })
  expect(await failureOf(readBody(replyOf('bees'), { maxBytes: 1, signal }))).toBe('too-large')
  await raced(Promise.resolve(), signal)
  await Bun.sleep(1)
  expect(listeners()).toBe(0)
})

test('the time for a page is one for all of its redirects', async () => {
  const slowly =
    (location: string): RequestListener =>
    (_, response) =>
      void setTimeout(() => response.writeHead(302, { location }).end(), 150)
  await using site = await openSite({ '/1': slowly('/2'), '/2': slowly('/3'), '/3': slowly('/4'), '/4': '<p>Bees.' })
  const reader = readerOf(site.port, { timeoutMs: 350, honoursRobots: false })
  const { signal } = new AbortController()
  expect(await failureOf(reader.read({ url: `${site.origin}/1` }, { signal }))).toBe('timeout')
  await reader.close()
})

test('a language goes along where it is one', async () => {
  await using site = await openSite({ '/bees': '<p>Bees.' })
  const reader = readerOf(site.port)
  const { signal } = new AbortController()
  for (const language of ['de-CH, de;q=0.9', 'de <secret>', 'd'.repeat(201)])
    await reader.read({ url: `${site.origin}/bees`, language }, { signal })
  expect(site.requests.map(({ headers }) => headers['accept-language'])).toEqual([
    'de-CH, de;q=0.9',
    undefined,
    undefined,
  ])
  await reader.close()
})
