import { describe, expect, spyOn, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import type { FetchReply } from '../../src/local/fetch-page.ts'
import { KeptBodies } from '../../src/local/kept-bodies.ts'
import { createLocalReader, type LocalReaderOptions } from '../../src/local/local.ts'
import { PageError } from '../../src/page-error.ts'
import type { PageContext } from '../../src/page-reader.ts'
import type { WholePageRequest } from '../../src/whole-page.ts'
import { failureOf } from '../contract/page-reader.ts'

type BrowserTab = Parameters<NonNullable<LocalReaderOptions['browser']>['show']>[0]

const { signal } = new AbortController()
const replyOf = (status: number, body = '', headers: FetchReply['headers'] = {}): FetchReply => ({
  ...{ url: new URL('https://bees.example/'), status, headers, body: new TextEncoder().encode(body) },
})
const page = { contentType: 'text/html', contents: { markdown: 'Bees', text: 'Bees', html: '' }, links: [] }

/** A reader whose sites send these replies by their addresses or paths. */
function readerOf(replies: Readonly<Record<string, FetchReply>>, options: Partial<LocalReaderOptions> = {}) {
  const seen = {
    extracted: [] as unknown[],
    warmed: [] as number[],
    closed: 0,
    fetched: [] as unknown[],
    sent: [] as string[],
    accepted: [] as string[],
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
    send: async ({ url, headers: { accept } }) => {
      seen.sent.push(url.href)
      seen.accepted.push(accept ?? '')
      const { Readable } = await import('node:stream')
      const { status, headers, body } = replies[url.href] ?? replies[url.pathname] ?? replyOf(404)
      return Object.assign(Readable.from([Buffer.from(body)]), { statusCode: status, headers }) as never
    },
    ...options,
  })
  const read = (address: string, request: Partial<WholePageRequest> = {}, context: Partial<PageContext> = {}) =>
    reader.read({ url: new URL(address, 'https://bees.example').href, ...request }, { signal, ...context })
  return { reader, read, seen }
}

describe('a reader of this machine', () => {
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

  test('says when it waits for the site, and when for what reads its body', async () => {
    const said: string[] = []
    const { read } = readerOf(bees, { bodies: new KeptBodies(60) })
    const onWait: PageContext['onWait'] = (awaited) => void said.push(awaited)
    await read('/bees', { isRough: true }, { onWait })
    expect(said).toEqual(['site', 'reader'])
    await read('/bees', {}, { onWait })
    expect(said).toEqual(['site', 'reader', 'reader'])
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

  test('follows a page that leads elsewhere, keeps the last body, and gives up no encryption', async () => {
    const bodies = new KeptBodies(60)
    const leads = {
      '/old': replyOf(200, '/bees'),
      '/bees': replyOf(200, ''),
      '/plain': replyOf(200, 'http://bees.example/'),
    }
    const { read, seen } = readerOf(leads, {
      bodies,
      extractor: {
        warm() {},
        close() {},
        async extract({ body, url }) {
          const to = new TextDecoder().decode(body)
          return { ...page, leadsTo: to ? new URL(to, url).href : undefined }
        },
      },
    })
    expect((await read('/old', { isRough: true })).finalUrl).toBe('https://bees.example/bees')
    expect((await read('/old')).finalUrl).toBe('https://bees.example/bees')
    expect(seen.sent).toEqual(['https://bees.example/old', 'https://bees.example/bees'])
    expect(await failureOf(read('/plain'))).toBe('unreachable')
    expect(seen.sent).toHaveLength(3)
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
        show: async ({ url, language, allow }: BrowserTab, _: AbortSignal, caller?: string) => {
          shown.push([url, language, caller])
          await allow(new URL('https://bees.example/shown'))
          return { url: 'https://bees.example/shown', html: 'Shown' }
        },
      } as unknown as NonNullable<LocalReaderOptions['browser']>,
    })
    const turns: string[] = []
    const { read } = readerOf(bees, {
      ...options(() => reads++ === 0),
      onRedirect: async (next) => void turns.push(next),
    })
    const found = await read('/bees', { language: 'de' }, { caller: 'ann' })
    expect(found).toMatchObject({ finalUrl: 'https://bees.example/shown', contents: { text: 'Shown' } })
    expect(shown).toEqual([['https://bees.example/bees', 'de', 'ann']])
    expect(turns).toEqual(['https://bees.example/shown'])
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
    expect(await read('/bees').catch((error: Error) => error.message)).toBe('The page reader was closed.')
    expect(seen).toMatchObject({ extracted: [], closed: 1, warmed: [] })
  })
})

describe('before a page is asked for', () => {
  const closed = replyOf(200, 'User-agent: *\nDisallow: /bees')
  const bees = replyOf(200, 'Bees')
  const honouring = { honoursRobots: undefined }

  test('the rules of its site are, unless the operator says otherwise', async () => {
    const sites = { '/robots.txt': closed, '/bees': bees, '/wasps': bees }
    const { read, seen } = readerOf(sites, honouring)
    expect(await failureOf(read('/bees'))).toBe('blocked-by-robots')
    expect(seen.sent).toEqual(['https://bees.example/robots.txt'])
    await read('/wasps')
    expect(seen.accepted).toEqual(['text/plain', expect.stringMatching(/^text\/html,/)])
    expect((await readerOf(sites).read('/bees')).status).toBe(200)
  })

  test('as much of the rules is read as may be', async () => {
    const rules = 'User-agent: *\nDisallow: /bees\n'
    const long = replyOf(200, rules.padEnd(500 * 1024 + 1, '#'))
    const { read } = readerOf({ '/robots.txt': long, '/bees': bees, '/wasps': bees }, honouring)
    expect(await failureOf(read('/bees'))).toBe('blocked-by-robots')
    expect((await read('/wasps')).status).toBe(200)
  })

  test('a redirected request that gets no turn is not sent', async () => {
    const onRedirect = async () => {
      throw new PageError('busy', 'x')
    }
    const { read, seen } = readerOf({ '/old': replyOf(302, '', { location: '/bees' }), '/bees': bees }, { onRedirect })
    expect(await failureOf(read('/old'))).toBe('busy')
    expect(seen.sent).toEqual(['https://bees.example/old'])
  })

  test.each([
    [undefined, 10_000, 5000],
    [4000, 4000, 4000],
    [20_000, 20_000, 5000],
  ])('with %p ms a page has %d, and its rules and a form %d', async (timeoutMs, ofPage, ofOthers) => {
    const timeout = spyOn(AbortSignal, 'timeout')
    try {
      const { read } = readerOf({ '/package/bees': bees }, { ...honouring, timeoutMs })
      await read('https://www.npmjs.com/package/bees')
      // The rules of the registry and two forms, then the rules of the page and the page itself.
      expect(timeout.mock.calls.flat()).toEqual([...Array(4).fill(ofOthers), ofPage])
    } finally {
      timeout.mockRestore()
    }
  })
})

describe('the form of a page', () => {
  const npm = 'https://www.npmjs.com/package/bees'
  const [all, latest] = ['https://registry.npmjs.org/bees', 'https://registry.npmjs.org/bees/latest']
  const file = 'https://github.com/bees/hive/blob/main/hive.pdf'
  const raw = 'https://raw.githubusercontent.com/bees/hive/main/hive.pdf'
  const issue = 'https://github.com/bees/hive/issues/1'
  const [first, comments] = ['https://api.github.com/repos/bees/hive/issues/1', '/comments?per_page=100'] as const
  const ofIssue = { [first]: replyOf(200, '{}'), [first + comments]: replyOf(200, '[]') }
  const json = replyOf(200, '{}')

  test('is read in its place, by what reads that site, and waits for its turn', async () => {
    const turns: unknown[] = []
    const onRedirect = async (url: string, _: AbortSignal, caller?: string) => void turns.push([url, caller])
    const { read, seen } = readerOf({ [all]: json }, { onRedirect })
    expect(await read(npm, {}, { caller: 'ann' })).toMatchObject({ finalUrl: npm, status: 200 })
    expect(seen.sent).toEqual([all])
    expect(seen).toMatchObject({ accepted: ['application/json'], fetched: ['ann'], warmed: [1] })
    expect(seen.extracted).toMatchObject([{ body: '[{}]', url: npm, site: 'npm' }])
    expect(turns).toEqual([[all, 'ann']])
  })

  test('may be anywhere its site has it, where the page itself may be visited, and leads nowhere else', async () => {
    const { read, seen } = readerOf({ [all]: json })
    await read(npm, {}, { mayVisit: ({ hostname }) => hostname === 'www.npmjs.com' })
    expect(seen.sent).toEqual([all])
    expect(await failureOf(read(npm, {}, { mayVisit: () => false }))).toBe('not-allowed')
    expect(seen.sent).toEqual([all])
    const led = readerOf({ [all]: replyOf(302, '', { location: 'https://wasps.example/' }), '/package/bees': json })
    await led.read(npm, {}, { mayVisit: ({ hostname }) => hostname !== 'wasps.example' })
    expect(led.seen.sent).toEqual([all, latest, npm])
  })

  test('is the next one where one fails, and the page where all do', async () => {
    const { read, seen } = readerOf({ [latest]: json })
    await read(npm)
    expect(seen.sent).toEqual([all, latest])
    const without = readerOf({ '/package/bees': json })
    await without.read(npm)
    expect(without.seen.sent).toEqual([all, latest, npm])
    expect(without.seen.extracted).toMatchObject([{ site: undefined }])
  })

  test('has 2 MB at most, all its addresses together, except as a PDF', async () => {
    const of = (length: number) => ({ [all]: replyOf(200, 'a'.repeat(length)), [latest]: json })
    for (const [length, sent] of [
      // In a list of JSON.
      [1_999_998, [all]],
      [1_999_999, [all, latest]],
    ] as const) {
      const { read, seen } = readerOf(of(length))
      await read(npm)
      expect(seen.sent).toEqual([...sent])
    }
    const { read, seen } = readerOf({ [raw]: replyOf(200, '%PDF-'.padEnd(2_000_001)) })
    await read(file)
    expect(seen.sent).toEqual([raw])
  })

  test('whose host answers few requests is asked for at once by a careful read, and by a rough one at last', async () => {
    const careful = readerOf({ ...ofIssue, '/bees/hive/issues/1': json })
    await careful.read(issue)
    expect(careful.seen.sent).toEqual([first, first + comments])
    const rough = readerOf({ ...ofIssue, '/bees/hive/issues/1': json })
    await rough.read(issue, { isRough: true })
    expect(rough.seen.sent).toEqual([issue])
    const page = { '/bees/hive/issues/1': replyOf(403) }
    const closed = readerOf({ ...ofIssue, ...page })
    expect((await closed.read(issue, { isRough: true })).status).toBe(200)
    expect(closed.seen.sent).toEqual([issue, first, first + comments])
    const neither = readerOf(page)
    expect(await failureOf(neither.read(issue, { isRough: true }))).toBe('blocked-by-status')
    expect(neither.seen.sent).toHaveLength(3)
    const none = readerOf(ofIssue)
    expect(await failureOf(none.read(issue, { isRough: true }))).toBe('not-found')
    expect(none.seen.sent).toEqual([issue])
  })

  test('takes one of six places for large PDFs with its page, and gives it back', async () => {
    const pdf = replyOf(200, '%PDF-'.padEnd(2_000_001))
    let reads = 0
    const gates: (() => void)[] = []
    const extract: LocalReaderOptions['extractor']['extract'] = async ({ url }) => {
      if (url === file && reads++ % 2 === 0) throw new PageError('failed', 'x')
      if (url.endsWith('/held')) await new Promise<void>((resolve) => gates.push(resolve))
      return page
    }
    const { read } = readerOf(
      { [raw]: pdf, '/bees/hive/blob/main/hive.pdf': pdf, '/held': pdf },
      { extractor: { warm() {}, close() {}, extract } },
    )
    await read(file)
    const held = Array.from({ length: 6 }, () => read('/held'))
    await eventually(() => gates.length === 6)
    const leaving = new AbortController()
    const waiting = failureOf(read('/held', {}, { signal: leaving.signal }))
    await Bun.sleep(5)
    expect(gates).toHaveLength(6)
    leaving.abort()
    expect(await waiting).toBe('cancelled')
    for (const open of gates) open()
    await Promise.all(held)
  })
})
