import { describe, expect, setSystemTime, test } from 'bun:test'
import { checkLed, checkReply } from '../../src/local/check-reply.ts'
import type { FetchReply } from '../../src/local/fetch-page.ts'
import { FormFetcher } from '../../src/local/form-fetcher.ts'
import { KeptBodies } from '../../src/local/kept-bodies.ts'
import { Robots } from '../../src/local/robots.ts'
import { PageError } from '../../src/page-error.ts'
import type { PageContext } from '../../src/page-reader.ts'
import { failureOf } from '../contract/page-reader.ts'

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
  const human = 'HUMAN asks for proof of a human before it shows the page'

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
    [
      403,
      'Sucuri WebSite Firewall - Access Denied',
      ['blocked-by-challenge', 403, 'Sucuri asks for proof of a human before it shows the page (403).'],
    ],
    [401, '', ['needs-login', 401, 'The site asks for a login for this page (401).']],
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
    thrownBy(() => checkLed(asked, new URL(address), 'a'.repeat(words)))
  const [page, login] = ['https://bees.example/a', 'https://bees.example/Log-In?next=a']
  const wanted = ['needs-login', undefined, 'The site asks for a login for this page.']
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
  const closed = (why: string) => `The robots.txt of the site ${why}, so no page of the site may be read now.`

  test.each([
    [200, 'The robots.txt of the site does not allow reading this page.'],
    [299, 'The robots.txt of the site does not allow reading this page.'],
    [199, 'open'],
    [300, 'open'],
    [404, 'open'],
    [428, 'open'],
    [429, closed('could not be read (429)')],
    [499, 'open'],
    [500, closed('could not be read (500)')],
  ])('that come with %d: %s', async (status, said) =>
    expect(await outcome(async () => replyOf(status, rules))).toBe(said),
  )

  test.each([
    ['an address that is none', new PageError('invalid-url', 'x'), 'open'],
    ['a private address', new PageError('not-allowed', 'x'), 'open'],
    ['their time', new PageError('timeout', 'It is late.'), 'It is late.'],
    ['another error', new Error('x'), closed('could not be read')],
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

  test('that were got again are the last of the 500 that are forgotten', async () => {
    let now = 0
    const asked: string[] = []
    const robots = new Robots({
      ...{ name: 'csp', now: () => now },
      fetch: async (url) => {
        asked.push(new URL(url).hostname)
        return replyOf(404)
      },
    })
    const check = (site: number) => robots.check(new URL(`https://site-${site}.example/`))
    for (let site = 0; site < 500; site++) {
      if (site === 1) now = 1
      await check(site)
    }
    now = 3_600_000
    for (const site of [0, 500, 0, 1]) await check(site)
    expect(asked.slice(500)).toEqual(['site-0.example', 'site-500.example', 'site-1.example'])
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
    const busy = (host: string) => `${host} accepts no requests now.`
    const start = Date.UTC(2026, 4, 4)
    try {
      setSystemTime(start)
      const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(start / 1000 + 30) }
      expect([await ask('a.example', 502), await ask('b.example', 200, reset)]).toEqual(['asked', 'asked'])
      expect([await ask('a.example'), await ask('b.example')]).toEqual([busy('a.example'), busy('b.example')])
      for (const [status, then] of [
        [399, 'asked'],
        [400, busy('c.example')],
        [404, 'asked'],
        [410, 'asked'],
      ] as const) {
        const host = status === 400 ? 'c.example' : `${status}.example`
        expect([await ask(host, status), await ask(host)]).toEqual(['asked', then])
      }
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

  test('is left for an hour when the quota of the day is used up, whatever else was on its way', async () => {
    const forms = new FormFetcher(() => {})
    const late = Promise.withResolvers<FetchReply>()
    const ask = (answer: () => Promise<FetchReply>) =>
      forms.fetch(form('npm', 'https://a.example/x'), answer, signal).then(
        () => 'asked',
        (error: PageError) => error.code,
      )
    const used = async () => replyOf(200, '"quota_remaining":0')
    try {
      setSystemTime(0)
      const other = ask(() => late.promise)
      await ask(used)
      late.resolve(replyOf(200))
      await other
      setSystemTime(3_599_999)
      expect(await ask(used)).toBe('busy')
      setSystemTime(3_600_000)
      expect(await ask(used)).toBe('asked')
    } finally {
      setSystemTime()
    }
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
