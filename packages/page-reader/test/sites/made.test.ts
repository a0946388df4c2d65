import { describe, expect, test } from 'bun:test'
import { type SiteName, siteForms, sites } from '../../src/sites/sites.ts'
import { dayOf } from '../../src/sites/thread.ts'

// What is made of the JSON that a site sends; reading.test.ts reads whole pages.

/** A page as it is made, its HTML without what each thread has; `undefined` if there is none. */
function made(site: SiteName, parts: readonly unknown[], url = 'https://lamps.example/') {
  const page = sites[site].read(parts, new URL(url))
  if (!page) return undefined
  const { kind, siteName, ...known } = page
  if ('markdown' in known) return known
  const posts = known.html.replace(/<section><h2>(.*?)<\/h2>\n<div>(.*?)<\/div><\/section>/gs, '$1: $2')
  return { ...known, html: posts.split('\n') }
}

describe('an issue of GitHub', () => {
  const issue = { title: 'Lamp', number: 7, state: 'open', created_at: '2026-03-04T23:40:00Z' }
  const comment = (day: string, parts: object = {}) => ({ created_at: `2026-03-${day}T00:00:00Z`, ...parts })

  test('has its state, labels and comments, in the order of time', () => {
    const user = { login: 'keeper' }
    const page = made('github-issue', [
      {
        ...issue,
        user,
        state: 'closed',
        state_reason: 'not_planned_now',
        labels: [{ name: 'a' }, { name: 'b' }],
        comments: 3,
      },
      [comment('07', { user, body_html: '<p>b' }), comment('06')],
      [comment('05', { path: 'src/<a>.ts' })],
    ])
    expect(page).toEqual({
      title: 'Lamp',
      author: 'keeper',
      publishedAt: '2026-03-04',
      html: [
        '<h1>Lamp</h1>',
        '<p>Issue #7: closed, not planned now</p>',
        '<p>Labels: a, b</p>',
        '<p>The first 2 of 3 comments</p>',
        'keeper, 2026-03-04: ',
        'ghost, 2026-03-05, on src/&lt;a&gt;.ts: ',
        'ghost, 2026-03-06: ',
        'keeper, 2026-03-07: <p>b',
      ],
    })
  })

  test.each([
    [{}, [[]], ['<p>Issue #7: open</p>']],
    [{ labels: 5, comments: 'x' }, [[]], ['<p>Issue #7: open</p>']],
    [{ comments: 1 }, [[comment('06')]], ['<p>Issue #7: open</p>']],
    [{ pull_request: {} }, [], ['<p>Pull request #7: open</p>']],
    [{ pull_request: { merged_at: '2026-03-05' }, state: 'closed' }, [[]], ['<p>Pull request #7: merged</p>']],
    [{ comments: 1 }, [[]], ['<p>Issue #7: open</p>', '<p>The first 0 of 1 comments</p>']],
  ])('with %j and the comments %j has the facts %j', (parts, comments, facts) => {
    const page = made('github-issue', [{ ...issue, ...parts }, ...comments])
    expect(page && 'html' in page && page.html.filter((line) => line.startsWith('<p>'))).toEqual(facts)
  })

  test('is none of another shape', () => {
    expect(made('github-issue', [{ ...issue, title: 7 }, []])).toBeUndefined()
    expect(made('github-issue', [issue, {}])).toBeUndefined()
  })

  test('is fetched with its comments, and those of a review', () => {
    const api = 'https://api.github.com/repos/a/b'
    const of = (path: string) => siteForms(`https://github.com/a/b/${path}`)
    const accept = 'application/vnd.github.html+json'
    const addresses = [`${api}/issues/7`, `${api}/issues/7/comments?per_page=100`]
    expect(of('issues/7/')).toEqual([{ site: 'github-issue', accept, addresses, isLimited: true }])
    expect(of('pull/7')[0]?.addresses).toEqual([...addresses, `${api}/pulls/7/comments?per_page=100`])
    expect(of(`issues/${'7'.repeat(11)}`)).toEqual([])
  })
})

describe('a story of Hacker News', () => {
  const item = (parts: object) => ({ created_at: '2026-02-01T10:00:00Z', ...parts })

  test('has its link, its points and each comment before its replies', () => {
    const children = [
      item({
        author: 'alice',
        text: 'a',
        children: [item({ author: 'bob', text: 'b', children: [item({ text: 'c' })] })],
      }),
      item({ text: '', children: [item({ author: 'dan', text: 'd' }), item({ author: 'eve', text: 'e' })] }),
      { text: 'no date' },
    ]
    const story = {
      title: 'Lamp',
      url: 'https://lamps.example/?a=1&b',
      text: 't',
      author: 'keeper',
      points: 0,
      children,
    }
    expect(made('hacker-news', [item(story)])).toEqual({
      title: 'Lamp',
      author: 'keeper',
      publishedAt: '2026-02-01',
      html: [
        '<h1>Lamp</h1>',
        '<p>0 points</p>',
        'keeper, 2026-02-01: <p><a href="https://lamps.example/?a=1&amp;b">https://lamps.example/?a=1&amp;b</a></p>t',
        'alice, 2026-02-01: a',
        'bob, 2026-02-01, to alice: b',
        'somebody, 2026-02-01, to bob: c',
        'dan, 2026-02-01, to somebody: d',
        'eve, 2026-02-01, to somebody: e',
      ],
    })
  })

  test('is a comment where it has no title', () => {
    expect(made('hacker-news', [item({ author: 'alice', text: 'a' })])).toMatchObject({
      title: 'Comment by alice',
      html: ['<h1>Comment by alice</h1>', 'alice, 2026-02-01: a'],
    })
    expect(made('hacker-news', [item({})])).toMatchObject({ title: 'Comment by somebody', author: undefined })
    expect(made('hacker-news', [{ title: 'Lamp' }])).toBeUndefined()
  })

  test.each(['http://news.ycombinator.com/item', 'https://hackernews.example/item?id=1'])('%s is none', (url) =>
    expect(siteForms(url)).toEqual([]),
  )
})

describe('a question of Stack Exchange', () => {
  const post = (parts: object) => ({ body: 'b', creation_date: 1_772_668_800, ...parts })

  test('has its tags, and the score of each answer', () => {
    const page = made('stack-exchange', [
      { items: [post({ title: 'A &amp; B', owner: { display_name: 'J&#246;rg' }, score: 0, tags: ['x', 'y'] })] },
      { items: [post({ score: 3, is_accepted: true }), post({ owner: {}, is_accepted: false })] },
    ])
    expect(page).toEqual({
      title: 'A & B',
      author: 'Jörg',
      publishedAt: '2026-03-05',
      html: [
        '<h1>A &amp; B</h1>',
        '<p>Tags: x, y</p>',
        'Jörg, 2026-03-05, score 0: b',
        'somebody, 2026-03-05, score 3, accepted: b',
        'somebody, 2026-03-05: b',
      ],
    })
  })

  test.each([
    [[{ items: [post({ title: '' })] }, { items: [] }]],
    [[{ items: [post({ title: 'A' })] }]],
    [[{ items: [] }, { items: [] }]],
    [[{}, { items: [] }]],
  ])('is none of %j', (parts) => expect(made('stack-exchange', parts)).toBeUndefined())

  test('is fetched with its answers, and may be limited', () => {
    const [form] = siteForms('https://stackoverflow.com/questions/5')
    const api = 'https://api.stackexchange.com/2.3/questions/5'
    expect(form).toMatchObject({ site: 'stack-exchange', accept: 'application/json', isLimited: true })
    expect(form?.addresses).toEqual([
      `${api}?site=stackoverflow.com&filter=withbody`,
      `${api}/answers?site=stackoverflow.com&filter=withbody&order=desc&sort=votes&pagesize=30`,
    ])
  })
})

describe('a package of npm', () => {
  const version = { name: 'fog', version: '2.1.0' }
  const all = (parts: object = {}) => ({
    'dist-tags': { latest: '2.1.0' },
    versions: { '2.1.0': version, '2.0.0': { ...version, version: '2.0.0', deprecated: 'It\nleaks.' } },
    time: { '2.1.0': '2026-04-01T12:30:00Z' },
    readme: 'Fog.',
    ...parts,
  })
  const url = 'https://www.npmjs.com/package/fog'

  test('is its latest version, or the one that is named', () => {
    expect(made('npm', [all()], url)).toEqual({
      title: 'fog',
      author: undefined,
      publishedAt: '2026-04-01',
      markdown: '# fog\n\n- Version: 2.1.0, 2026-04-01\n\nFog.',
    })
    expect(made('npm', [all()], `${url}/v/2.0.0/`)).toMatchObject({
      publishedAt: undefined,
      markdown: '# fog\n\n- Version: 2.0.0\n- Deprecated: It leaks.\n\nFog.',
    })
    expect(made('npm', [all()], `${url}/v/9.0.0`)).toBeUndefined()
    expect(made('npm', [version], `${url}/v/9.0.0`)).toMatchObject({ markdown: '# fog\n\n- Version: 2.1.0\n\n' })
    expect(made('npm', [7], url)).toBeUndefined()
  })

  test('says what it is, who has made it and what it needs', () => {
    const whole = {
      ...version,
      description: 'Fog\nfor lamps',
      license: 'MIT',
      homepage: 'https://lamps.example/',
      repository: { url: 'git+https://lamps.example/fog.git' },
      author: { name: 'Kim' },
      dependencies: { mist: '^1', dew: '2' },
    }
    expect(made('npm', [whole], url)).toMatchObject({
      author: 'Kim',
      markdown:
        '# fog\n\nFog for lamps\n\n- Version: 2.1.0\n- License: MIT\n- Repository: https://lamps.example/fog\n- Homepage: https://lamps.example/\n- Dependencies: mist ^1, dew 2\n\n',
    })
    const short = { ...version, repository: 'git+ssh://lamps.example/fog', author: 'Kim' }
    expect(made('npm', [short], url)).toMatchObject({
      author: 'Kim',
      markdown: '# fog\n\n- Version: 2.1.0\n- Repository: git+ssh://lamps.example/fog\n\n',
    })
  })

  test.each([
    ['a <!-- b --> c', 'a  c'],
    ['a <!-- b --> c <!-- d -->', 'a  c '],
    ['a <!-- b\nc\nd --> e', 'a \n\n e'],
    ['<!--a-->b', 'b'],
    ['```\n<!-- a -->\n```\n<!-- b -->c', '```\n<!-- a -->\n```\nc'],
    ['   ~~~\n<!-- a -->', '   ~~~\n<!-- a -->'],
    ['    ~~~\n<!-- a -->', '    ~~~\n'],
    ['<!-- a\n```\nb -->\n<!-- c -->', '\n\n\n'],
    ['`<!-- a -->` b <!-- c -->', '`<!-- a -->` b '],
    ['a --> b', 'a --> b'],
  ])('shows of its README %j as %j', (readme, shown) => {
    const page = made('npm', [all({ readme })], url)
    expect(page && 'markdown' in page && page.markdown.split('\n\n').slice(2).join('\n\n')).toBe(shown)
  })
})

test('a day is that of a date in ISO 8601 or in seconds, if it is one', () => {
  expect([0, 86_399, 86_400, '2026-02-01T23:59:59Z', 1e20, 'x', undefined].map(dayOf)).toEqual([
    ...['1970-01-01', '1970-01-01', '1970-01-02', '2026-02-01'],
    ...[undefined, undefined, undefined],
  ])
})
