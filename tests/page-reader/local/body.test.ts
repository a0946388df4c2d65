import { expect, test } from 'bun:test'
import type { IncomingMessage, RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { raced } from '../../../src/lib/abort.ts'
import { readBody } from '../../../src/page-reader/local/body.ts'
import { failureOf } from '../../contract/page-reader.ts'
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
