import { describe, expect, spyOn, test } from 'bun:test'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type BodyLimit, readBody } from '../../src/local/body.ts'
import { type FetchRequest, fetchPage } from '../../src/local/fetch-page.ts'
import { networkError, type Sending } from '../../src/local/send.ts'
import { PageError } from '../../src/page-error.ts'

const { signal } = new AbortController()

function replyOf(statusCode: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array = '') {
  return Object.assign(Readable.from([Buffer.from(body)]), { statusCode, headers }) as unknown as IncomingMessage
}

/** What comes of a page that the sites of a test answer; then what they were asked for. */
async function fetched(url: string, answer: (url: URL) => IncomingMessage, parts: Partial<FetchRequest> = {}) {
  const sent: Sending[] = []
  const options = {
    opened: new Map(),
    userAgent: 'csp/test',
    timeoutMs: 1000,
    resolve: async () => ['93.184.215.14'],
    send: async (sending: Sending) => {
      sent.push(sending)
      return answer(sending.url)
    },
  }
  const request = { url, accept: 'text/html', signal, maxBytes: 100, ...parts }
  const outcome = await fetchPage(request, options).catch((error: unknown) => error)
  return {
    outcome,
    sent: sent.map(({ url }) => url.href),
    languages: sent.map((one) => one.headers['accept-language']),
  }
}

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with %d is followed, and the address comes with its page', async (status) => {
    const { outcome, sent } = await fetched('https://bees.example/old', ({ pathname }) =>
      pathname === '/old' ? replyOf(status, { location: '/bees' }) : replyOf(200, {}, 'Bees'),
    )
    expect(sent).toEqual(['https://bees.example/old', 'https://bees.example/bees'])
    expect(outcome).toMatchObject({
      url: { href: 'https://bees.example/bees' },
      status: 200,
      body: new TextEncoder().encode('Bees'),
    })
  })

  test.each([200, 204, 300, 304, 305, 404])('is no reply with %d', async (status) => {
    const { outcome, sent } = await fetched('https://bees.example/', () => replyOf(status, { location: '/bees' }))
    expect(outcome).toMatchObject({ status })
    expect(sent).toHaveLength(1)
  })

  test('is followed five times', async () => {
    const chain = (length: number) =>
      fetched('https://bees.example/0', ({ pathname }) => {
        const at = Number(pathname.slice(1))
        return at < length ? replyOf(302, { location: `/${at + 1}` }) : replyOf(200, {})
      })
    expect((await chain(5)).outcome).toMatchObject({ status: 200 })
    const { outcome, sent } = await chain(6)
    expect(outcome).toMatchObject({ code: 'unreachable', message: 'The site redirected more than 5 times.' })
    expect(sent).toHaveLength(6)
  })

  test.each([
    ['nowhere', 'https://bees.example/', {}, 'site-failed', 'The redirect of the site has no address.'],
    [
      'what is no address',
      'https://bees.example/',
      { location: 'http://' },
      'site-failed',
      'The redirect of the site has no address.',
    ],
    ['a private address', 'http://bees.example/', { location: 'http://10.0.0.1/' }, 'not-allowed', undefined],
    ['http from https', 'https://bees.example/', { location: 'http://bees.example/a' }, 'unreachable', undefined],
  ])('to %s is not followed', async (_, url, headers, code, message) => {
    const { outcome, sent } = await fetched(url, () => replyOf(302, headers))
    expect(outcome).toMatchObject({ code, ...(message && { message }) })
    expect(sent).toEqual([url])
  })

  test('takes from the time of its page what it takes itself', async () => {
    let clock = 50_000
    const limits: number[] = []
    using _now = spyOn(performance, 'now').mockImplementation(() => clock)
    using _timeout = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      limits.push(ms)
      return signal
    })
    await fetched('https://bees.example/0', ({ pathname }) => {
      clock += 400
      return pathname === '/3' ? replyOf(200, {}) : replyOf(302, { location: `/${Number(pathname.slice(1)) + 1}` })
    })
    expect(limits).toEqual([1000, 600, 200, 1])
  })

  test('that may not be followed is not sent, nor is what comes first', async () => {
    for (const [count, path] of [
      [0, '/0'],
      [1, '/1'],
    ] as const) {
      const allow = async ({ pathname }: URL) => {
        await Bun.sleep(1)
        if (pathname === path) throw new PageError('not-allowed', 'No.')
      }
      const answer = () => replyOf(302, { location: '/1' })
      const { outcome, sent } = await fetched('https://bees.example/0', answer, { allow })
      expect([(outcome as PageError).code, sent.length]).toEqual(['not-allowed', count])
    }
  })

  test('from http to https, and on from there, is followed', async () => {
    const { outcome, sent } = await fetched('http://bees.example/', ({ protocol, pathname }) => {
      if (pathname === '/b') return replyOf(200, {})
      return replyOf(302, { location: protocol === 'http:' ? 'https://bees.example/a' : 'https://bees.example/b' })
    })
    expect(outcome).toMatchObject({ status: 200 })
    expect(sent).toEqual(['http://bees.example/', 'https://bees.example/a', 'https://bees.example/b'])
  })
})

test.each([
  ['de', 'de'],
  ['de-CH, de;q=0.9, *;q=0.5', 'de-CH, de;q=0.9, *;q=0.5'],
  [undefined, undefined],
  ['', undefined],
  ['de\r\nX: y', undefined],
  ['d'.repeat(200), 'd'.repeat(200)],
  ['d'.repeat(201), undefined],
])('the language %j is sent as %j', async (language, sent) => {
  const { languages } = await fetched('https://bees.example/', () => replyOf(200, {}), { language })
  expect(languages).toEqual([sent])
})

describe('a body', () => {
  const read = (body: string | Uint8Array, headers: Readonly<Record<string, string>>, maxBytes = 100) =>
    readBody(replyOf(200, headers, body), { maxBytes, signal }).then(
      (bytes) => Buffer.from(bytes).toString(),
      (error: unknown) => error,
    )

  test.each([
    ['', 'bees'],
    ['identity', 'bees'],
    [' GZIP ', gzipSync('bees')],
    ['x-gzip', gzipSync('bees')],
    ['deflate', deflateSync('bees')],
    ['br', brotliCompressSync('bees')],
  ])('is read in the encoding %j', async (encoding, body) => {
    expect(await read(body, { 'content-encoding': encoding })).toBe('bees')
  })

  test.each(['gzip', 'br'])('in a damaged %s is a failure of its site', async (encoding) => {
    const message = 'The reply of the site is damaged.'
    expect(await read('bees', { 'content-encoding': encoding })).toMatchObject({ code: 'site-failed', message })
  })

  test('in another encoding is a failure of its site', async () => {
    const message = 'The site sent its reply in an encoding that was not asked for.'
    expect(await read('bees', { 'content-encoding': 'zstd' })).toMatchObject({ code: 'site-failed', message })
  })

  test('that says that it is longer than the limit is not read to its end', async () => {
    expect(await read('bees', { 'content-length': '8' }, 8)).toBe('bees')
    const message = 'The page is larger than 0.000008 MB.'
    expect(await read('bees', { 'content-length': '9' }, 8)).toMatchObject({ code: 'too-large', message })
  })

  /** What is read of these pieces, or why not. */
  async function readOf(pieces: readonly string[], limit: Partial<BodyLimit>) {
    let taken = 0
    const stream = new Readable({
      highWaterMark: 0,
      read() {
        this.push(taken < pieces.length ? Buffer.from(pieces[taken++] ?? '') : null)
      },
    })
    const reply = Object.assign(stream, { headers: {} }) as unknown as IncomingMessage
    return readBody(reply, { maxBytes: 8, signal, ...limit }).then(
      (bytes) => Buffer.from(bytes).toString(),
      (error: PageError) => error.code,
    )
  }

  test.each([
    [['bees', 'hums'], {}, 'beeshums'],
    [['bees', 'hums', '!'], {}, 'too-large'],
    [['bees', 'hums'], { isCut: true }, 'beeshums'],
    [['bees', 'humsalot'], { isCut: true }, 'beeshums'],
    [['%PDF-', 'bees!'], {}, 'too-large'],
  ])('of the pieces %j with the limit %j is %j', async (pieces, limit, expected) => {
    expect(await readOf(pieces, limit)).toBe(expected)
  })

  test('that is a PDF may be longer, once there is room for it', async () => {
    let rooms = 0
    const pdf = {
      maxBytes: 14,
      async makeRoom() {
        await Bun.sleep(1)
        rooms++
      },
    }
    const of = async (...pieces: string[]) => {
      rooms = 0
      return [await readOf(pieces, { pdf }), rooms]
    }
    expect(await of('%PDF-123')).toEqual(['%PDF-123', 0])
    expect(await of('%PDF-123', '4', '5', '6789')).toEqual(['%PDF-123456789', 1])
    expect(await of('%PDF-123', '4567890')).toEqual(['too-large', 0])
    expect(await of('bees', '%PDF-')).toEqual(['too-large', 0])
    const full = { maxBytes: 14, makeRoom: async () => Promise.reject(new PageError('busy', 'No room.')) }
    expect(await readOf(['%PDF-123', '4', '5'], { pdf: full })).toBe('busy')
  })

  test('whose connection breaks is unreachable, and one whose caller leaves ends with the reason', async () => {
    const broken = new Readable({ read() {} })
    const reading = readBody(Object.assign(broken, { headers: {} }) as unknown as IncomingMessage, {
      maxBytes: 9,
      signal,
    })
    broken.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    expect(await reading.catch((error: unknown) => error)).toMatchObject({
      code: 'unreachable',
      message: 'The site broke the connection.',
    })
    const own = new AbortController()
    const endless = Object.assign(new Readable({ read() {} }), { headers: {} }) as unknown as IncomingMessage
    const left = readBody(endless, { maxBytes: 9, signal: own.signal })
    const reason = new Error('left')
    own.abort(reason)
    expect(await left.catch((error: unknown) => error)).toBe(reason)
    expect(endless.destroyed).toBe(true)
  })
})

test.each([
  [{ code: 'ECONNREFUSED' }, 'unreachable', 'The site refused the connection.'],
  [{ code: 'ETIMEDOUT' }, 'unreachable', 'The site did not answer.'],
  [{ code: 'EPIPE' }, 'unreachable', 'The connection failed.'],
  [{}, 'unreachable', 'The connection failed.'],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'bad-certificate', 'The certificate of the site is not valid for it.'],
] as const)('an error of a connection, %j, is said in words', (parts, code, message) => {
  const cause = Object.assign(new Error('x'), parts)
  expect(networkError(cause)).toMatchObject({ code, message, cause })
})

test('an error of a page stays as it is', () => {
  const error = new PageError('too-large', 'x')
  expect(networkError(error)).toBe(error)
})
