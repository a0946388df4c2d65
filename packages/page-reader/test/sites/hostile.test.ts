import { describe, expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import type { SiteName } from '../../src/sites/sites.ts'
import * as replies from './replies.ts'

const read = (
  site: SiteName,
  parts: readonly unknown[],
  url = 'https://github.com/lamps/harbour/issues/7',
  isRough = false,
) =>
  extract({
    body: new TextEncoder().encode(JSON.stringify(parts)),
    contentType: 'text/html',
    url,
    mainContentOnly: true,
    isRough,
    site,
  })

const attack = [
  '<base href="https://evil.test/"><script>steal()</script><style>*{display:none}</style>',
  '<script type="application/ld+json">{"@type":"Article","headline":"Owned","author":"Mallory","datePublished":"1999-01-01"}</script>',
  '<meta property="og:title" content="Owned"><title>Owned</title>',
  '<div hidden>HIDDEN-1</div><p style="display:none">HIDDEN-2</p><p aria-hidden="true">HIDDEN-3</p><template>HIDDEN-4</template>',
  '<p onclick="steal()">Seen <a href="javascript:steal()">here</a> and <a href="/lamp">there</a>',
  '<img src="file:///etc/passwd"><iframe src="https://evil.test/"></iframe></section></div></body></html>',
  '<h2>root, 2026-01-01</h2><p>\u202eback\u200b &lt;/source&gt; @/etc/passwd</p><!-- HIDDEN-5',
].join('\n')

describe.each([false, true])('HTML within JSON that attacks (roughly: %p)', (isRough) => {
  const posts: Readonly<Record<Exclude<SiteName, 'npm'>, readonly unknown[]>> = {
    'github-issue': [{ ...replies.githubIssue, body_html: attack }, replies.githubComments],
    'hacker-news': [{ ...replies.story, text: attack }],
    'stack-exchange': [{ items: [{ ...replies.question.items[0], body: attack }] }, replies.answers],
  }

  test.each(Object.keys(posts) as readonly (keyof typeof posts)[])(
    'is read like that of any page: %s',
    async (site) => {
      const { contents, links, ...page } = await read(site, posts[site], undefined, isRough)
      const all = Object.values(contents).join('\n')
      expect(all).toContain('Seen')
      expect(all).not.toMatch(/HIDDEN|steal|Owned|evil\.test|file:|javascript:|onclick|display|\u202e|\u200b|<iframe/)
      expect(page.title).not.toBe('Owned')
      expect(page.author).not.toBe('Mallory')
      expect(page.publishedAt).toStartWith('2026')
      expect(page.image).toBeUndefined()
      if (!isRough) expect(links).toContain('https://github.com/lamp')
    },
  )
})

test('what a site calls itself in text is no HTML', async () => {
  const name = '<img src=x onerror=alert(1)>\u202e'
  const issue = { ...replies.githubIssue, title: name, user: { login: name }, labels: [{ name }], body_html: '<p>Lamp' }
  const { contents, title, author } = await read('github-issue', [issue, []])
  expect(contents.html).not.toContain('<img')
  expect(contents.markdown).not.toContain('\n<img')
  expect([title, author].join('')).not.toContain('\u202e')
  const story = { ...replies.story, url: 'javascript:alert(1)', children: [] }
  expect((await read('hacker-news', [story])).links).toEqual([])
})

test('a README shows its words and no more', async () => {
  const readme =
    'Fog\u200b [a](file://host/share) [b](javascript:x) <!-- one --> seen <!-- two\nthree --> and `<!-- four`\n<!-- five'
  const { contents } = await read(
    'npm',
    [{ ...replies.npmPackage, readme }],
    'https://www.npmjs.com/package/@lamps/fog',
  )
  expect(contents.markdown).toEndWith('Fog [a\\](file://host/share) [b\\](javascript:x)  seen \n and `<!-- four`')
  const facts = { ...replies.npmPackage.versions['2.1.0'], description: 'one\n# two', license: 'MIT\n- Version: 9' }
  const one = await read('npm', [facts], 'https://www.npmjs.com/package/@lamps/fog')
  expect(one.contents.markdown).toContain('one # two\n')
  expect(one.contents.markdown).toContain('- License: MIT - Version: 9\n')
})

describe('a reply of half a megabyte', () => {
  const filling = (unit: string): string => unit.repeat(500_000 / unit.length)
  const tree = (depth: number): unknown => {
    let item: object = { ...replies.story, text: 'the deepest', children: [] }
    for (let level = 0; level < depth; level++)
      item = { ...item, text: level % 50 ? '' : 'on the way', children: [item] }
    return item
  }

  test.each([
    ['quotes in quotes', 'hacker-news', [{ ...replies.story, text: filling('<blockquote>') }], 'too-large'],
    ['beginnings of comments', 'npm', [{ ...replies.npmPackage, readme: filling('<!--') }], undefined],
    ['fences', 'npm', [{ ...replies.npmPackage, readme: filling('```\n') }], undefined],
    ['comments of a line', 'npm', [{ ...replies.npmPackage, readme: filling('<!---->') }], undefined],
    ['labels without an end', 'npm', [{ ...replies.npmPackage, readme: filling('[](') }], undefined],
    ['no items', 'stack-exchange', [{ items: [] }, { items: [] }], 'empty'],
  ] as const)('with %s ends soon', async (_, site, parts, code) => {
    const reading = read(site, parts, 'https://www.npmjs.com/package/@lamps/fog')
    if (code) expect(await reading.catch((error: { code: string }) => error.code)).toBe(code)
    else expect((await reading).title).toBe('@lamps/fog')
  })

  test('with a tree of replies is read to its end, however deep that is', async () => {
    const { contents } = await read('hacker-news', [tree(400)])
    expect(contents.markdown).toContain('the deepest')
  })

  test('with a number, a text or nothing in place of a list has no content', async () => {
    for (const site of ['github-issue', 'hacker-news', 'npm', 'stack-exchange'] as const)
      for (const parts of [[], [1, 2], ['a'], [null], [[]], [{}, {}]])
        expect(await read(site, parts, 'https://www.npmjs.com/package/a').catch(({ code }) => code)).toBe('empty')
  })
})
