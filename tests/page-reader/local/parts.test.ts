import { describe, expect, setSystemTime, test } from 'bun:test'
import { PageError } from '../../../src/domain/page-error.ts'
import { checkLogin, checkReply } from '../../../src/page-reader/local/check-reply.ts'
import type { FetchReply } from '../../../src/page-reader/local/fetch-page.ts'
import { FormFetcher } from '../../../src/page-reader/local/form-fetcher.ts'
import { KeptBodies } from '../../../src/page-reader/local/kept-bodies.ts'
import { createLocalReader, type LocalReaderOptions } from '../../../src/page-reader/local/local.ts'
import { Robots } from '../../../src/page-reader/local/robots.ts'
import type { PageContext } from '../../../src/page-reader/page-reader.ts'
import type { WholePageRequest } from '../../../src/page-reader/whole-page.ts'
import { failureOf } from '../../contract/page-reader.ts'

const { signal } = new AbortController()
const bytes = (text: string) => new TextEncoder().encode(text)
const replyOf = (
  status: number,
  body = '',
  headers: FetchReply['headers'] = {},
  url = 'https://bees.example/',
): FetchReply => ({
  ...{ url: new URL(url), status, headers, body: bytes(body) },
})

/** The code of what is thrown, and its status and words. */
function thrownBy(work: () => void): unknown {
  try {
    work()
    return 'nothing'
  } catch (error) {
    if (error instanceof PageError) return [error.code, error.status, error.message]
    throw error
  }
}

describe('a status', () => {
  const mark = 'id="px-captcha"'
  const human = 'HUMAN wants proof of a human before it lets anybody see the page'

  test.each([
    [200, '', 'nothing'],
    [299, mark, 'nothing'],
    [202, '', 'nothing'],
    [202, mark, ['blocked-by-challenge', 202, `${human} (202).`]],
    [199, mark, ['site-failed', 199, 'The site answered with an error (199).']],
    [300, mark, ['site-failed', 300, 'The site answered with an error (300).']],
    [399, mark, ['site-failed', 399, 'The site answered with an error (399).']],
    [400, mark, ['blocked-by-challenge', 400, `${human} (400).`]],
    [400, '', ['site-failed', 400, 'The site answered with an error (400).']],
    [401, '', ['needs-login', 401, 'The site wants a login for this page (401).']],
    [404, '', ['not-found', 404, 'There is no such page (404).']],
    [410, '', ['not-found', 410, 'There is no such page (410).']],
    ...[402, 403, 407, 429, 451, 999].map(
      (status) =>
        [status, '', ['blocked-by-status', status, `The site refuses to show the page (${status}).`]] as const,
    ),
    [503, `${' '.repeat(200_000 - mark.length)}${mark}`, ['blocked-by-challenge', 503, `${human} (503).`]],
    [
      503,
      `${' '.repeat(200_001 - mark.length)}${mark}`,
      ['site-failed', 503, 'The site answered with an error (503).'],
    ],
  ] as const)('of %d says whether a reply is a page', (status, body, outcome) => {
    expect(thrownBy(() => checkReply(replyOf(status, body)))).toEqual(outcome as never)
  })
})

test('a page with few words that is at the address of a login, where another was asked for, wants one', () => {
  const led = (asked: string, address: string, words = 10) =>
    thrownBy(() => checkLogin(asked, new URL(address), 'a'.repeat(words)))
  const [page, login] = ['https://bees.example/a', 'https://bees.example/Log-In?next=a']
  const wanted = ['needs-login', undefined, 'The site wants a login for this page: it leads to one.']
  expect([led(page, login), led(page, login, 499)]).toEqual([wanted, wanted])
  expect([led(page, login, 500), led(login, login), led('no address', login), led(page, page)]).toEqual(
    Array(4).fill('nothing'),
  )
  const at = (length: number) => led(page, `https://bees.example/${'a'.repeat(length)}/login`)
  expect([at(493), at(494)]).toEqual([wanted, 'nothing'])
})

describe('bodies of rough reads', () => {
  const request = { url: 'https://bees.example/' }
  const context = (cache?: PageContext['cache']): PageContext => ({ signal, cache })

  test('are kept as long as they may be, for requests that take what is kept', async () => {
    const bodies = new KeptBodies(60)
    expect([await bodies.has(request, context()), await bodies.get(request, context())]).toEqual([false, undefined])
    await bodies.keep(request, context(), { ...replyOf(200, 'Bees'), form: 'https://form.example/' })
    for (const cache of [undefined, 'default'] as const) {
      expect(await bodies.has({ ...request, isRough: true }, context(cache))).toBe(true)
      expect(await bodies.get(request, context(cache))).toMatchObject({ status: 200, form: 'https://form.example/' })
    }
    for (const cache of ['no-cache', 'no-store'] as const) expect(await bodies.has(request, context(cache))).toBe(false)
    expect(await bodies.has({ ...request, language: 'de' }, context())).toBe(false)
  })

  test('are not kept for 0 seconds, nor for a request that forbids it', async () => {
    const [none, bodies] = [new KeptBodies(0), new KeptBodies(60)]
    await none.keep(request, context(), replyOf(200))
    await bodies.keep(request, context('no-store'), replyOf(200))
    expect([await none.has(request, context()), await bodies.has(request, context())]).toEqual([false, false])
  })
})

describe('the rules of a site', () => {
  const robotsWith = (reply: (url: string) => Promise<FetchReply>) => new Robots({ name: 'csp', fetch: reply })
  const outcome = (reply: () => Promise<FetchReply>) =>
    robotsWith(reply)
      .check(new URL('https://bees.example/page'))
      .then(
        () => 'open',
        (error: PageError) => error.message,
      )
  const rules = 'User-agent: *\nDisallow: /'
  const closed = (why: string) => `The robots.txt of the site ${why}, so no page there may be read now.`

  test.each([
    [200, 'The site lets no robots read this page (robots.txt).'],
    [299, 'The site lets no robots read this page (robots.txt).'],
    [199, 'open'],
    [300, 'open'],
    [404, 'open'],
    [428, 'open'],
    [429, closed('is not to be had (429)')],
    [499, 'open'],
    [500, closed('is not to be had (500)')],
  ])('that come with %d: %s', async (status, said) =>
    expect(await outcome(async () => replyOf(status, rules))).toBe(said),
  )

  test.each([
    ['an address that is none', new PageError('invalid-url', 'x'), 'open'],
    ['a private address', new PageError('not-allowed', 'x'), 'open'],
    ['their time', new PageError('timeout', 'It is late.'), 'It is late.'],
    ['another error', new Error('x'), closed('is not to be had')],
  ])('that cannot be had because of %s: %#', async (_, error, said) => {
    expect(await outcome(() => Promise.reject(error))).toBe(said)
  })

  test('are of its origin, and end when the reader closes', async () => {
    const asked: string[] = []
    let aborted = false
    const robots = new Robots({
      name: 'csp',
      fetch: async (url, own) => {
        asked.push(url)
        own.addEventListener('abort', () => {
          aborted = true
        })
        return replyOf(404)
      },
    })
    for (const url of ['https://a.example/x?y', 'http://a.example/', 'https://a.example:8443/'])
      await robots.check(new URL(url))
    expect(asked).toEqual(
      ['https', 'http'].map((scheme) => `${scheme}://a.example/robots.txt`).concat('https://a.example:8443/robots.txt'),
    )
    robots.close()
    expect(aborted).toBe(true)
  })

  test('are known for an hour, or a minute after a fault, and not a moment longer', async () => {
    let [now, fetches, status] = [0, 0, 200]
    const robots = new Robots({
      ...{ name: 'csp', now: () => now },
      fetch: async () => {
        fetches++
        return replyOf(status)
      },
    })
    const fetchesAt = async (time: number) => {
      now = time
      await robots.check(new URL('https://bees.example/')).catch(() => {})
      return fetches
    }
    expect([await fetchesAt(0), await fetchesAt(3_599_999)]).toEqual([1, 1])
    status = 503
    expect([await fetchesAt(3_600_000), await fetchesAt(3_659_999), await fetchesAt(3_660_000)]).toEqual([2, 2, 3])
  })
})

describe('the form of a page', () => {
  const form = (site: 'npm' | undefined, ...addresses: readonly string[]) =>
    ({ addresses, accept: 'x', site }) as unknown as Parameters<FormFetcher['fetch']>[0]
  const text = ({ body }: FetchReply) => new TextDecoder().decode(body)

  test('is what one address sent, or a list of what several did', async () => {
    const forms = new FormFetcher(() => {})
    const fetch = async (address: string) => replyOf(200, `"${new URL(address).pathname}"`)
    const [a, b] = ['https://a.example/a', 'https://b.example/b']
    expect(text(await forms.fetch(form(undefined, a), fetch, signal))).toBe('"/a"')
    expect(text(await forms.fetch(form('npm', a), fetch, signal))).toBe('["/a"]')
    expect(text(await forms.fetch(form('npm', a, b), fetch, signal))).toBe('["/a","/b"]')
    expect(await failureOf(forms.fetch(form('npm'), fetch, signal))).toBe('failed')
  })

  test('is not asked for while its host wants a pause, and those of other hosts are', async () => {
    const forms = new FormFetcher(() => {})
    const ask = (host: string, status = 200, headers: FetchReply['headers'] = {}) =>
      forms
        .fetch(form(undefined, `https://${host}/x`), async () => replyOf(status, '', headers), signal)
        .then(
          () => 'asked',
          (error: Error) => error.message,
        )
    const busy = (host: string) => `${host} wants no requests now.`
    const start = Date.UTC(2026, 4, 4)
    try {
      setSystemTime(start)
      const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(start / 1000 + 30) }
      expect([await ask('a.example', 502), await ask('b.example', 200, reset), await ask('c.example', 410)]).toEqual(
        Array(3).fill('asked'),
      )
      expect([await ask('a.example'), await ask('b.example'), await ask('c.example')]).toEqual([
        busy('a.example'),
        busy('b.example'),
        'asked',
      ])
      setSystemTime(start + 29_999)
      expect(await ask('b.example')).toBe(busy('b.example'))
      setSystemTime(start + 30_000)
      expect(await ask('b.example', 200, { ...reset, 'x-ratelimit-reset': 'soon' })).toBe('asked')
      setSystemTime(start + 59_999)
      expect(await ask('a.example')).toBe(busy('a.example'))
      setSystemTime(start + 60_000)
      expect(await ask('a.example')).toBe('asked')
      // A host that does not say when gets a minute.
      setSystemTime(start + 89_999)
      expect(await ask('b.example')).toBe(busy('b.example'))
      setSystemTime(start + 90_000)
      expect(await ask('b.example')).toBe('asked')
    } finally {
      setSystemTime()
    }
  })

  test('says in its last 300 bytes whether its host wants a pause', async () => {
    const asks = async (body: string, status = 200, headers: FetchReply['headers'] = {}) => {
      const forms = new FormFetcher(() => {})
      const ask = () =>
        forms.fetch(form('npm', 'https://a.example/x'), async () => replyOf(status, body, headers), signal)
      await ask()
      return ask().then(
        () => 'asked',
        (error: PageError) => error.code,
      )
    }
    const said = '"backoff":99'
    expect([await asks(said.padEnd(300)), await asks(said.padEnd(301))]).toEqual(['busy', 'asked'])
    expect([await asks('"quota_remaining":0'), await asks('"quota_remaining":05')]).toEqual(['busy', 'asked'])
    expect([await asks('', 429, { 'retry-after': '0' }), await asks('', 200, { 'retry-after': '0' })]).toEqual([
      'busy',
      'asked',
    ])
  })

  test('ends the requests for the others when one fails, or its caller leaves', async () => {
    const forms = new FormFetcher(checkReply)
    let aborted = 0
    const fetch = (address: string, own: AbortSignal) =>
      address.endsWith('/a')
        ? Promise.resolve(replyOf(404))
        : new Promise<FetchReply>((_, reject) => {
            own.addEventListener('abort', () => {
              aborted++
              reject(own.reason)
            })
          })
    expect(await failureOf(forms.fetch(form('npm', 'https://a.example/a', 'https://b.example/b'), fetch, signal))).toBe(
      'not-found',
    )
    expect(aborted).toBe(1)
    const leaving = new AbortController()
    const left = forms.fetch(form('npm', 'https://c.example/c'), fetch, leaving.signal).catch((error: unknown) => error)
    const reason = new Error('left')
    leaving.abort(reason)
    expect(await left).toBe(reason)
  })
})

describe('a reader of this machine', () => {
  const page = { contentType: 'text/html', contents: { markdown: 'Bees', text: 'Bees', html: '' }, links: [] }

  /** A reader whose sites send these replies by their paths. */
  function readerOf(replies: Readonly<Record<string, FetchReply>>, options: Partial<LocalReaderOptions> = {}) {
    const seen = {
      extracted: [] as unknown[],
      warmed: [] as number[],
      closed: 0,
      fetched: [] as unknown[],
      timeouts: [] as unknown[],
    }
    const reader = createLocalReader({
      opened: new Map(),
      userAgent: 'csp/test',
      resolve: async () => ['93.184.215.14'],
      honoursRobots: false,
      onFetched: (caller) => seen.fetched.push(caller),
      extractor: {
        warm: (pages) => void seen.warmed.push(pages),
        async extract({ body, contentType, url, mainContentOnly, isRough, site }) {
          seen.extracted.push({
            body: new TextDecoder().decode(body),
            contentType,
            url,
            mainContentOnly,
            isRough,
            site,
          })
          return page
        },
        close: () => void seen.closed++,
      },
      send: async ({ url }) => {
        const { Readable } = await import('node:stream')
        const { status, headers, body } = replies[url.pathname] ?? replyOf(404)
        return Object.assign(Readable.from([Buffer.from(body)]), { statusCode: status, headers }) as never
      },
      ...options,
    })
    const read = (path: string, request: Partial<WholePageRequest> = {}, context: Partial<PageContext> = {}) =>
      reader.read({ url: `https://bees.example${path}`, ...request }, { signal, ...context })
    return { reader, read, seen }
  }
  const bees = { '/bees': replyOf(200, 'Bees', { 'content-type': 'text/html', 'content-language': 'de' }) }

  test('gives what a page sent to what reads it, once a reader is warm, and says whose page it was', async () => {
    const { read, seen } = readerOf(bees)
    expect(await read('/bees', {}, { caller: 'ann' })).toMatchObject({
      finalUrl: 'https://bees.example/bees',
      status: 200,
      language: 'de',
    })
    await read('/bees', { mainContentOnly: false, isRough: true })
    const extraction = { body: 'Bees', contentType: 'text/html', url: 'https://bees.example/bees', site: undefined }
    expect(seen.extracted).toEqual([
      { ...extraction, mainContentOnly: true, isRough: false },
      { ...extraction, mainContentOnly: false, isRough: true },
    ])
    expect(seen).toMatchObject({ fetched: ['ann', undefined], warmed: [1, 1] })
  })

  test('warms readers for all pages that are on their way, and none for those that failed', async () => {
    const { read, seen } = readerOf(bees)
    await Promise.all([read('/bees'), read('/bees'), failureOf(read('/none'))])
    await read('/bees')
    expect(seen.warmed).toEqual([3, 3, 3, 1])
  })

  test('asks before a redirected request, of the caller and for its turn, and not before the first', async () => {
    const asked: unknown[] = []
    const { read } = readerOf(
      { ...bees, '/old': replyOf(302, '', { location: '/bees' }) },
      { onRedirect: async (url, _, caller) => void asked.push(url, caller) },
    )
    expect((await read('/old', {}, { caller: 'ann' })).finalUrl).toBe('https://bees.example/bees')
    expect(asked).toEqual(['https://bees.example/bees', 'ann'])
    expect(await failureOf(read('/old', {}, { mayVisit: ({ pathname }) => pathname !== '/bees' }))).toBe('not-allowed')
  })

  test('takes a body that was kept for a page itself, and none that was kept for its form', async () => {
    const bodies = new KeptBodies(60)
    const { read, seen } = readerOf(bees, { bodies })
    await read('/bees', { isRough: true })
    await read('/bees')
    expect(seen.fetched).toHaveLength(1)
    await bodies.keep(
      { url: 'https://bees.example/other' },
      { signal },
      { ...replyOf(200), form: 'https://form.example/' },
    )
    expect(await failureOf(read('/other'))).toBe('not-found')
    await read('/bees', {}, { cache: 'no-cache' })
    expect(seen.fetched).toHaveLength(2)
    // What is read with care is kept as a page, and not as a body.
    await read('/bees', { language: 'de' })
    expect(await bodies.has({ url: 'https://bees.example/bees', language: 'de' }, { signal })).toBe(false)
  })

  test('has pages of 2 MB at most, and PDFs of 10', async () => {
    const of = (length: number, begin = '') => replyOf(200, begin.padEnd(length, 'a'))
    const sizes = {
      '/page': of(2_000_000),
      '/longer': of(2_000_001),
      '/pdf': of(10_000_000, '%PDF-'),
      '/larger': of(10_000_001, '%PDF-'),
    }
    const { read } = readerOf(sizes)
    await read('/page')
    await read('/pdf')
    expect([await failureOf(read('/longer')), await failureOf(read('/larger'))]).toEqual(['too-large', 'too-large'])
  })

  test('shows a page in the browser where it has nothing without its scripts, unless it is one of a list', async () => {
    const shown: unknown[] = []
    let reads = 0
    const options = (needsScripts: () => boolean) => ({
      extractor: {
        warm() {},
        close() {},
        extract: async ({ body }: { body: Uint8Array }) => {
          if (needsScripts()) throw new PageError('needs-scripts', 'x')
          return { ...page, contents: { ...page.contents, text: new TextDecoder().decode(body) } }
        },
      },
      browser: {
        show: async ({ url, language }: { url: string; language?: string }, _: AbortSignal, caller?: string) => {
          shown.push([url, language, caller])
          return { url: 'https://bees.example/shown', html: 'Shown' }
        },
      } as unknown as NonNullable<LocalReaderOptions['browser']>,
    })
    const { read } = readerOf(
      bees,
      options(() => reads++ === 0),
    )
    const found = await read('/bees', { language: 'de' }, { caller: 'ann' })
    expect(found).toMatchObject({ finalUrl: 'https://bees.example/shown', contents: { text: 'Shown' } })
    expect(shown).toEqual([['https://bees.example/bees', 'de', 'ann']])
    reads = 0
    expect(await failureOf(read('/bees', { isRough: true }))).toBe('needs-scripts')
    const bare = readerOf(bees, { ...options(() => true), browser: undefined })
    expect(await failureOf(bare.read('/bees'))).toBe('needs-scripts')
    for (const [error, code] of [
      [new Error('x'), 'failed'],
      [new PageError('empty', 'x'), 'empty'],
    ] as const) {
      const extractor = { ...options(() => true).extractor, extract: () => Promise.reject(error) }
      expect(await failureOf(readerOf(bees, { ...options(() => true), extractor }).read('/bees'))).toBe(code)
    }
    expect(shown).toHaveLength(1)
  })

  test('takes many words at the address of a login for a page, in any format', async () => {
    const to = { '/a': replyOf(302, '', { location: '/login' }), '/login': replyOf(200, 'Members') }
    const withWords = (text: string, markdown: string) => {
      const extract = async () => ({ ...page, contents: { text, markdown, html: '' } })
      return readerOf(to, { extractor: { warm() {}, close() {}, extract } }).read('/a')
    }
    const many = 'a'.repeat(500)
    expect((await withWords('', many)).finalUrl).toBe('https://bees.example/login')
    expect((await withWords(many, '')).finalUrl).toBe('https://bees.example/login')
    expect(await failureOf(withWords('few', many))).toBe('needs-login')
  })

  test('reads nothing when it is closed, nor for a caller that has left', async () => {
    const { reader, read, seen } = readerOf(bees)
    expect(await failureOf(read('/bees', {}, { signal: AbortSignal.abort() }))).toBe('cancelled')
    await reader.close()
    expect(await read('/bees').catch((error: Error) => error.message)).toBe('csp is stopping.')
    expect(seen).toMatchObject({ extracted: [], closed: 1, warmed: [] })
  })
})
