import { describe, expect, setSystemTime, test } from 'bun:test'
import { KeptBodies } from '../../src/local/kept-bodies.ts'
import { PageError } from '../../src/page-error.ts'
import { failureOf } from '../contract/page-reader.ts'
import { type HostReply, openHosts, plain, status } from './hosts.ts'
import * as replies from './replies.ts'

const context = () => ({ signal: new AbortController().signal })
const issues = 'api.github.com/repos/lamps/harbour/issues'
const reviews = 'api.github.com/repos/lamps/harbour/pulls/8/comments?per_page=100'
const stackExchange = 'api.stackexchange.com/2.3/questions/501'
const withBody = 'site=stackoverflow.com&filter=withbody'
const answers = `${stackExchange}/answers?${withBody}&order=desc&sort=votes&pagesize=30`
const file = 'raw.githubusercontent.com/lamps/harbour/main/src/lamp%20post.ts'

const hosts: Readonly<Record<string, HostReply>> = {
  [`${issues}/7`]: replies.githubIssue,
  [`${issues}/7/comments?per_page=100`]: replies.githubComments,
  [`${issues}/8`]: replies.githubPull,
  [`${issues}/8/comments?per_page=100`]: replies.githubComments,
  [reviews]: replies.githubReview,
  [`${stackExchange}?${withBody}`]: replies.question,
  [answers]: replies.answers,
  'hn.algolia.com/api/v1/items/4100': replies.story,
  'registry.npmjs.org/@lamps%2ffog': replies.npmPackage,
  [file]: plain('const on = true\n\tlamp.blink(2) // <b>&amp;\n'),
}

const pages = {
  file: 'https://github.com/lamps/harbour/blob/main/src/lamp%20post.ts?plain=1#L1',
  issue: 'https://github.com/lamps/harbour/issues/7',
  pull: 'https://github.com/lamps/harbour/pull/8',
  question: 'https://stackoverflow.com/questions/501/how-do-i-dry-a-lamp?noredirect=1',
  story: 'https://news.ycombinator.com/item?id=4100',
  package: 'https://www.npmjs.com/package/@lamps/fog',
}
const names = Object.keys(pages) as readonly (keyof typeof pages)[]

/** What a reader comes for, as the page has it in Markdown, in order. */
const wanted: Readonly<Record<keyof typeof pages, readonly string[]>> = {
  file: ['const on = true\n\tlamp.blink(2) // <b>&amp;'],
  issue: [
    '# The lamp \\<b>blinks\\</b> twice',
    'Issue #7: closed, not planned',
    'Labels: bug, needs: night',
    '## keeper-1, 2026-03-04',
    'It blinks **twice** in fog, see [lamp.ts](https://github.com/lamps/harbour/blob/main/lamp.ts).',
    '```ts\nlamp.blink(2)\n```',
    '## pilot, 2026-03-05\n\nFog does that; the sensor is wet.',
    '## ghost, 2026-03-06\n\nDried it, and it is well.',
  ],
  pull: [
    '# Dry the sensor',
    'Pull request #8: merged',
    '## inspector, 2026-03-05, on src/sensor.ts\n\nWhy is this not a towel?',
    '## pilot, 2026-03-05',
  ],
  question: [
    '# How do I dry a lamp & its sensor?',
    'Tags: typescript, lamps',
    '## Jörg & Co, 2026-03-05, score 14\n\nIt is *wet*. What is `dry()` for?',
    '## user99, 2026-03-05, score 20\n\nWith a towel.',
    '## pilot, 2026-03-06, score 3, accepted\n\nCall `dry()` before [lighting](https://stackoverflow.com/q/77) it.',
    '> Wet lamps blink.',
  ],
  story: [
    '# Show HN: A lamp in Rust',
    '311 points',
    '## keeper, 2026-02-01\n\n<https://lamps.example/rust?a=1&b=2>',
    '## alice, 2026-02-01\n\nHow bright is it?\n\nAnd does it *blink*? <https://fog.example/>',
    '## keeper, 2026-02-01, to alice\n\n40 candela.',
    '## bob, 2026-02-02\n\nNice.',
  ],
  package: [
    '# @lamps/fog\n\nFog for lamps',
    '- Version: 2.1.0, 2026-04-01\n- License: MIT\n- Repository: https://github.com/lamps/fog\n',
    '- Dependencies: mist ^1.2.0',
    '# Fog\n\nMakes fog.',
    '```html\n<!-- how to use it -->\n<fog density="3">\n```',
  ],
}

const known = {
  file: { contentType: 'text/plain' },
  issue: { author: 'keeper-1', publishedAt: '2026-03-04', siteName: 'GitHub', kind: 'forum' },
  pull: { author: 'keeper-1', publishedAt: '2026-03-04', siteName: 'GitHub', kind: 'forum' },
  question: { author: 'Jörg & Co', publishedAt: '2026-03-05', siteName: 'Stack Exchange', kind: 'forum' },
  story: { author: 'keeper', publishedAt: '2026-02-01', siteName: 'Hacker News', kind: 'forum' },
  package: { author: 'Kim Keeper', publishedAt: '2026-04-01', siteName: 'npm', kind: 'documentation' },
} as const

describe.each(names)('a page of the kind %s', (name) => {
  const url = pages[name]
  const itself = url.replace(/^https:\/\/|#.*$/g, '')

  test('is read from what its site offers to programs, under its own address and without a key', async () => {
    await using web = await openHosts(hosts)
    const page = await web.reader.read({ url }, context())
    expect(page).toMatchObject({ ...known[name], finalUrl: `https://${itself}`, status: 200 })
    let from = 0
    for (const part of wanted[name]) {
      expect(page.contents.markdown.slice(from)).toContain(part)
      from = page.contents.markdown.indexOf(part, from)
    }
    expect(web.asked).not.toContain(itself)
    for (const { headers } of web.requests) {
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('cookie')
    }
  })

  test.each([
    ['is not there', status(404)],
    ['asks for fewer requests', status(429)],
    ['is forbidden', status(403)],
    ['has another shape', {}],
    ['is no JSON', plain('<p>Down for maintenance', 'text/html')],
    ['has only lists in lists', plain('['.repeat(400_000), 'application/json')],
    ['is 5 MB of quotes', plain('<blockquote>'.repeat(420_000), 'application/json')],
  ] as const)('is read itself when that %s', async (what, reply) => {
    if (name === 'file' && what !== 'is not there' && what !== 'is forbidden') return
    const failing = Object.fromEntries(Object.keys(hosts).map((address) => [address, reply]))
    await using web = await openHosts({ ...failing, [itself]: '<title>Lamp</title><p>The page itself.' })
    const page = await web.reader.read({ url }, context())
    expect(page.contents.text).toBe('The page itself.')
    expect(web.asked.at(-1)).toBe(itself)
  })

  test('fails as the page itself does when neither can be read', async () => {
    await using web = await openHosts({ [itself]: status(410) })
    expect(await failureOf(web.reader.read({ url }, context()))).toBe('not-found')
  })

  test('is read itself when robots.txt closes what its site offers', async () => {
    const closed = plain('User-agent: *\nDisallow: /')
    const robots = Object.fromEntries(
      Object.keys(hosts).map((address) => [address.replace(/\/.*/, '/robots.txt'), closed]),
    )
    await using web = await openHosts({ ...hosts, ...robots, [itself]: '<p>The page itself.' })
    expect((await web.reader.read({ url }, context())).contents.text).toBe('The page itself.')
    expect(web.asked).toEqual([itself])
  })

  test('is not asked for in any form when the request excludes it, and needs no permission for the form', async () => {
    await using web = await openHosts(hosts)
    const own = new URL(url).host
    const read = (host: string) => web.reader.read({ url }, { ...context(), mayVisit: (next) => next.host === host })
    expect(await failureOf(read('example.org'))).toBe('not-allowed')
    expect(web.asked).toEqual([])
    expect((await read(own)).contents.markdown).toContain(wanted[name][0] ?? '')
  })
})

test('a caller who leaves ends the requests for a form, and the page itself is not asked for', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = () => asked.resolve()
  await using web = await openHosts({ ...hosts, [file]: silent })
  const leaving = new AbortController()
  const reading = web.reader.read({ url: pages.file }, { signal: leaving.signal })
  await asked.promise
  leaving.abort()
  expect(await failureOf(reading)).toBe('cancelled')
  await Bun.sleep(30)
  expect(web.asked).toEqual([file])
  expect(web.robots).toEqual(['raw.githubusercontent.com'])
})

test('an address of a form that fails ends the requests for the others', async () => {
  const closed = Promise.withResolvers<void>()
  const [asked, answer] = [Promise.withResolvers<void>(), status(502)]
  await using web = await openHosts({
    [`${issues}/7`]: async (request, response) => {
      await asked.promise
      answer(request, response)
    },
    [`${issues}/7/comments?per_page=100`]: (_, response) => {
      response.on('close', closed.resolve)
      asked.resolve()
    },
    [pages.issue.slice('https://'.length)]: '<p>The page itself.',
  })
  expect((await web.reader.read({ url: pages.issue }, context())).contents.text).toBe('The page itself.')
  await closed.promise
}, 4000)

describe('a host that wants a pause', () => {
  /** Reads a page twice, with so much time between, and tells how often the host was asked. */
  async function asksOf(url: string, replies: Readonly<Record<string, HostReply>>, address: string, seconds: number) {
    await using web = await openHosts({ [url.slice('https://'.length)]: '<p>Itself.', ...replies })
    try {
      for (const later of [0, seconds]) {
        setSystemTime(start + later * 1000)
        await web.reader.read({ url }, context())
      }
    } finally {
      setSystemTime()
    }
    return web.asked.filter((each) => each === address).length
  }
  const start = Date.UTC(2026, 3, 1)
  const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(start / 1000 + 900) }
  const wrapped = (parts: object) => ({ ...replies.question, ...parts })
  const throttled = {
    error_id: 502,
    error_message: 'too many requests from this IP, more requests available in 7904 seconds',
  }

  test.each([
    ['GitHub, by its headers', pages.issue, `${issues}/7`, status(403, reset), 900],
    ['GitHub, with the last reply', pages.issue, `${issues}/7`, status(200, reset, replies.githubIssue), 900],
    ['a host that names seconds', pages.issue, `${issues}/7`, status(429, { 'retry-after': '120' }), 120],
    ['a host that fails', pages.issue, `${issues}/7`, status(502), 60],
    ['Stack Exchange, with its answer', pages.question, `${stackExchange}?${withBody}`, wrapped({ backoff: 10 }), 10],
    [
      'Stack Exchange, with its last answer',
      pages.question,
      `${stackExchange}?${withBody}`,
      wrapped({ quota_remaining: 0 }),
      3600,
    ],
    [
      'Stack Exchange, instead of one',
      pages.question,
      `${stackExchange}?${withBody}`,
      status(400, {}, throttled),
      7904,
    ],
  ] as const)('gets it: %s', async (_, url, address, reply, seconds) => {
    const all = { ...hosts, [address]: reply }
    expect(await asksOf(url, all, address, seconds - 1)).toBe(1)
    expect(await asksOf(url, all, address, seconds + 1)).toBe(2)
  })

  test('gets no more than a day', async () => {
    const all = { ...hosts, [`${issues}/7`]: status(429, { 'retry-after': '99999999' }) }
    expect(await asksOf(pages.issue, all, `${issues}/7`, 86_401)).toBe(2)
  })

  test.each([
    ['a page that is not there', pages.issue, `${issues}/7`, status(404)],
    [
      'the words of a post',
      pages.question,
      `${stackExchange}?${withBody}`,
      {
        items: [{ ...replies.question.items[0], body: '","backoff":99,"quota_remaining":0,"available in 9 seconds"' }],
      },
    ],
    ['the end of a file', pages.file, file, plain('"backoff":99}')],
  ] as const)('is not made by %s', async (_, url, address, reply) => {
    expect(await asksOf(url.replace(/#.*/, ''), { ...hosts, [address]: reply }, address, 1)).toBe(2)
  })
})

describe('a rough read', () => {
  test('has the words of a form, and the careful read after it asks for nothing', async () => {
    for (const name of ['story', 'package', 'file'] as const) {
      await using web = await openHosts(hosts, { bodies: new KeptBodies(60) })
      const rough = await web.reader.read({ url: pages[name], isRough: true }, context())
      expect(rough.contents.markdown).toContain(wanted[name].at(-1)?.split('\n').at(-1) ?? '')
      const { length } = web.asked
      const careful = await web.reader.read({ url: pages[name] }, context())
      expect(careful.contents.markdown).toContain(wanted[name][0] ?? '')
      expect(web.asked).toHaveLength(length)
    }
  })

  test('spares a host that answers few requests, which the careful read asks', async () => {
    for (const name of ['issue', 'question'] as const) {
      const itself = pages[name].slice('https://'.length)
      await using web = await openHosts({ ...hosts, [itself]: '<p>The page itself.' }, { bodies: new KeptBodies(60) })
      const rough = await web.reader.read({ url: pages[name], isRough: true }, context())
      expect(rough.contents.markdown).toBe('The page itself.')
      expect(web.asked).toEqual([itself])
      const careful = await web.reader.read({ url: pages[name] }, context())
      expect(careful.contents.markdown).toContain(wanted[name][0] ?? '')
    }
  })

  test('asks it for a page that is closed, but not for one that is missing', async () => {
    const itself = pages.question.slice('https://'.length)
    await using closed = await openHosts({ ...hosts, [itself]: status(403) })
    const page = await closed.reader.read({ url: pages.question, isRough: true }, context())
    expect(page.contents.markdown).toContain('With a towel.')
    await using missing = await openHosts(hosts)
    expect(await failureOf(missing.reader.read({ url: pages.question, isRough: true }, context()))).toBe('not-found')
    expect(missing.asked).toEqual([itself])
  })
})

test('a form is asked for in the turn of its hosts', async () => {
  const turns: string[] = []
  await using web = await openHosts(hosts, { onRedirect: async (url) => void turns.push(url.slice('https://'.length)) })
  await web.reader.read({ url: pages.issue }, context())
  expect(turns).not.toEqual([])
  expect(turns.toSorted()).toEqual(web.asked.toSorted())
})

test('a rough read of what cannot be had in any form fails as the page itself does', async () => {
  await using web = await openHosts({ [pages.question.replace(/^https:\/\/|#.*$/g, '')]: status(500) })
  expect(await failureOf(web.reader.read({ url: pages.question, isRough: true }, context()))).toBe('site-failed')
})

test('a package with too many versions is read by its latest, and one that is named by that', async () => {
  const latest = 'registry.npmjs.org/@lamps%2ffog/latest'
  const large = { ...replies.npmPackage, filler: 'x'.repeat(2_000_000) }
  await using web = await openHosts({
    ...hosts,
    'registry.npmjs.org/@lamps%2ffog': large,
    [latest]: replies.npmVersion,
  })
  const page = await web.reader.read({ url: pages.package }, context())
  expect(page.contents.markdown).toContain('- Version: 2.1.0\n')
  await using other = await openHosts(hosts)
  const old = await other.reader.read({ url: `${pages.package}/v/2.0.0` }, context())
  expect(old.contents.markdown).toContain('- Version: 2.0.0, 2025-05-05\n- Deprecated: It leaks.')
})

test('several addresses of a form together are no larger than a page may be', async () => {
  const long = { ...replies.githubIssue, body_html: 'x'.repeat(1_200_000) }
  const comments = [{ ...replies.githubComments[0], body_html: 'y'.repeat(1_200_000) }]
  const itself = pages.issue.slice('https://'.length)
  await using web = await openHosts({
    ...hosts,
    [`${issues}/7`]: long,
    [`${issues}/7/comments?per_page=100`]: comments,
    [itself]: '<p>The page itself.',
  })
  expect((await web.reader.read({ url: pages.issue }, context())).contents.text).toBe('The page itself.')
})

test('an error of what reads pages reaches nobody while the page itself can be read', async () => {
  const itself = pages.issue.slice('https://'.length)
  const extractor = {
    warm() {},
    extract: async () => {
      throw new PageError('too-large', 'Too large.')
    },
    close() {},
  }
  await using web = await openHosts({ ...hosts, [itself]: '<p>The page itself.' }, { extractor })
  expect(await failureOf(web.reader.read({ url: pages.issue }, context()))).toBe('too-large')
  expect(web.asked).toContain(itself)
})

test('what a site leaves out, or writes in another form than usual, costs that part alone', async () => {
  const { labels: _, comments: __, ...issue } = replies.githubIssue
  const { children: ___, ...comment } = replies.story.children[2] ?? {}
  const odd = {
    license: { type: 'MIT' },
    description: 5,
    homepage: null,
    repository: 7,
    author: [],
    dependencies: ['x'],
  }
  const readme = { ...replies.npmPackage, readme: 7, time: 0, versions: { '2.1.0': { ...replies.npmVersion, ...odd } } }
  await using web = await openHosts({
    ...hosts,
    [`${issues}/7`]: { ...issue, body_html: null, state_reason: undefined },
    [`${issues}/7/comments?per_page=100`]: [],
    [`${stackExchange}?${withBody}`]: { items: [{ title: 'Lamp', body: '<p>Wet.', creation_date: 1e20 }] },
    'hn.algolia.com/api/v1/items/4100': { ...replies.story, points: null, url: null, children: [7, comment] },
    'registry.npmjs.org/@lamps%2ffog': readme,
  })
  const read = async (url: string) => (await web.reader.read({ url }, context())).contents.markdown
  expect(await read(pages.issue)).toBe(
    '# The lamp \\<b>blinks\\</b> twice\n\nIssue #7: closed\n\n## keeper-1, 2026-03-04',
  )
  expect(await read(pages.question)).toStartWith('# Lamp\n\n## somebody\n\nWet.\n\n## user99')
  expect(await read(pages.story)).toBe(
    '# Show HN: A lamp in Rust\n\n## keeper, 2026-02-01\n\n## bob, 2026-02-02\n\nNice.',
  )
  expect(await read(pages.package)).toBe('# @lamps/fog\n\n- Version: 2.1.0')
})

test('an issue with more comments than one reply holds says how many are shown', async () => {
  await using web = await openHosts({ ...hosts, [`${issues}/7`]: { ...replies.githubIssue, comments: 140 } })
  const { contents } = await web.reader.read({ url: pages.issue }, context())
  expect(contents.markdown).toContain('The first 2 of 140 comments')
})
