import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { documentOf } from '../../src/extract/document.ts'
import { extractHtml, extractRough } from '../../src/extract/html.ts'
import { challenged, obstacleIn } from '../../src/extract/obstacles.ts'
import { isOverlay } from '../../src/extract/overlays.ts'
import { PageError } from '../../src/page-error.ts'

const url = 'https://site.example/page'

/** The code of the page, read with care and roughly; `read` where it has words. */
function codesOf(html: string): readonly string[] {
  return [() => extractHtml(html, url, true), () => extractRough(html, url)].map((read) => {
    try {
      read()
      return 'read'
    } catch (error) {
      return error instanceof PageError ? error.code : String(error)
    }
  })
}

const both = (code: string) => [code, code]
const script = '<script src="/app.js"></script>'
const login =
  '<form><h1>Sign in</h1><label>Name <input name="n"></label><label>Password <input type="password"></label><button>Go</button></form>'

describe('a page without words says why', () => {
  test.each([
    ['<body></body>', 'empty'],
    ['<script type="application/ld+json">{"@type":"Thing"}</script>', 'empty'],
    [`<div id="root"></div>${script}`, 'needs-scripts'],
    [`<link rel="modulepreload" href="/app.js"><div id="app"></div>`, 'needs-scripts'],
    [`<div id="app">Loading…</div>${script}`, 'needs-scripts'],
    ['<p>Bitte aktivieren Sie JavaScript in Ihrem Browser.</p>', 'needs-scripts'],
    ['<p>Vous devez activer JavaScript pour voir cette page.</p>', 'needs-scripts'],
    ['<p>このページを表示するにはJavaScriptを有効にしてください。</p>', 'needs-scripts'],
    [`<main>${login}</main>`, 'needs-login'],
    [`<nav>Home News</nav><div>${login}</div><footer>Imprint and privacy</footer>`, 'needs-login'],
    [
      '<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"}</script><p>Checking your browser',
      'blocked-by-challenge',
    ],
    [
      `<script>var dd={'rt':'c','cid':'A'}</script><p>Please enable JS and disable any ad blocker</p>`,
      'blocked-by-challenge',
    ],
    [
      '<iframe id="main-iframe" src="/x">Request unsuccessful. Incapsula incident ID: 7-1</iframe>',
      'blocked-by-challenge',
    ],
    [
      '<title>Establishing a secure connection ...</title><script src="/.bunny-shield/assets/shield-challenge.js"></script>',
      'blocked-by-challenge',
    ],
    [
      '<title>Checking you are not a bot</title><meta http-equiv="refresh" content="0; url=/.well-known/.git.gammaspectra.live/git/go-away/cmd/go-away/challenge/meta-refresh/verify-challenge?__goaway_token=a">',
      'blocked-by-challenge',
    ],
  ])('%s: %s', (html, code) => expect(codesOf(html)).toEqual(both(code)))

  test('a challenge that explains itself at length is none the less one', () => {
    const said = '<p>You are seeing this because the administrator of this website has set up Anubis to protect it.</p>'
    expect(codesOf(`<body><script id="anubis_challenge" type="application/json">{}</script>${said.repeat(8)}`)).toEqual(
      both('blocked-by-challenge'),
    )
  })
})

describe('a page with words is read', () => {
  const post = '<p>Most of the captchas that we met this year were solved by a model, says the new report.</p>'

  test.each([
    ['that speaks of captchas, robots and logins', `<article><h1>Access denied: log in, robot</h1>${post}</article>`],
    [
      'with a field for a password at its edge',
      `<header>${login}</header><article><h1>News</h1><p>Bees hum.</p></article>`,
    ],
    ['with a login in its middle', `<article><h1>News</h1>${post}${login}</article>`],
    ['with a login that is hidden', `<form style="display:none">${login}</form><p>Bees hum.</p>`],
    [
      'that asks for scripts besides',
      `<article>${post.repeat(2)}</article><noscript>Please enable JavaScript.</noscript>`,
    ],
    [
      'with the script that a protector puts into every page',
      `<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="/_Incapsula_Resource?SWJIYLWA=7"></script><script src="https://js.datadome.co/tags.js"></script><p>Bees hum.</p>`,
    ],
    ['that shows the mark of a challenge', `<article>${post.repeat(8)}<pre>window._cf_chl_opt</pre></article>`],
  ])('%s', (_, html) => expect(codesOf(html)).toEqual(both('read')))

  test('whatever few words it has, unless they ask for something', () => {
    const word = fc.stringMatching(/^[b-km-z]{2,9}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        expect(codesOf(`<main><p>${words.join(' ')}</p></main>${script}`)).toEqual(both('read'))
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('how much a page may have to read', () => {
  const codeOf = (html: string, text: string) => obstacleIn(html, text, () => documentOf(html))?.code ?? 'read'
  const words = (count: number, rest = '') => `${rest}${' bees'.repeat(count)}`.trim()
  const notice = 'Please enable JavaScript.'
  const field = '<form><input type="password"></form>'

  test.each([
    ['a challenge', 'window.gokuProps', (length: number) => 'b '.repeat(length / 2).padEnd(length, 'b'), 2000],
    ['a notice', '', (length: number) => notice.padEnd(length, '. b'), 500],
  ] as const)('beside %s', (_, html, text, tooMuch) => {
    expect([codeOf(html, text(tooMuch - 1)) === 'read', codeOf(html, text(tooMuch))]).toEqual([false, 'read'])
  })

  test('where it quotes the mark of a challenge', () => {
    const quoted = (length: number) => 'window.gokuProps'.padEnd(length, ' b')
    expect([codeOf('window.gokuProps', quoted(499)), codeOf('window.gokuProps', quoted(500))]).toEqual([
      'blocked-by-challenge',
      'read',
    ])
  })

  test('beside a login', () => {
    expect(codeOf(field, words(11))).toBe('needs-login')
    expect(codeOf(field, words(12))).toBe('read')
    expect(codeOf(field, `${words(11)}\n${words(11)}`)).toBe('needs-login')
    for (const edge of ['<aside>', '<dialog>', '<div role="dialog">', '<div style="visibility: hidden">'])
      expect(codeOf(`${edge}${field}`, words(11))).toBe('read')
  })

  test('behind a sign that it is loading', () => {
    expect(codeOf(script, words(5, 'Loading'))).toBe('needs-scripts')
    expect(codeOf(script, words(6, 'Loading'))).toBe('read')
    expect(codeOf(script, words(5, 'Uploading'))).toBe('read')
  })

  test('where what it does not show asks for scripts, at its beginning', () => {
    const page = (before: number) => `<p>${'b'.repeat(before)}</p><noscript> ${notice}</noscript>${script}`
    expect(codeOf(page(0), words(24))).toBe('needs-scripts')
    expect(codeOf(page(0), words(25))).toBe('read')
    // In one line, it may stand within the first 20,000 letters.
    const before = 20_000 - ' Please enable JavaScript'.length
    expect([codeOf(page(before), words(24)), codeOf(page(before + 1), words(24))]).toEqual(['needs-scripts', 'read'])
  })

  test('nothing at all, where scripts might write it', () => {
    for (const [html, code] of [
      ['<script>write()</script>', 'needs-scripts'],
      ['<script type="module" src="/app.js"></script>', 'needs-scripts'],
      ['<link rel="preload" as="SCRIPT" href="/app.js">', 'needs-scripts'],
      ['<script type="application/JSON">{}</script>', 'empty'],
      ['<script type="speculationrules">{}</script>', 'empty'],
    ] as const)
      expect(codeOf(html, '')).toBe(code)
  })
})

test.each([
  ['<div class="cookie-banner">', true],
  ['<table class="navbox">', true],
  ['<div role="dialog">', true],
  ['<div aria-modal="true">', true],
  ['<div role="dialog" aria-modal="true">', true],
  ['<div aria-modal="false">', false],
  ['<div role="main" class="cookies">', false],
])('%s lies over its page: %p', (html, isOver) => {
  const element = documentOf(`<html><body>${html}</body></html>`).body.firstElementChild
  expect(element && isOverlay(element, element.getAttribute('class') ?? '')).toBe(isOver)
})

describe('a page with few words', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `bee${at}`).join(' ')
  const carried = (count: number) => {
    // Prose is what has sentences.
    const text = `${words(count - 1)
      .replaceAll(' ', ' hums ')
      .split(' ')
      .slice(0, count - 1)
      .join(' ')} end.`
    return `<script type="application/json">${JSON.stringify({ props: { body: `<p>${text}</p>` } })}</script>`
  }
  const shown = (html: string) =>
    extractHtml(`<html><body>${html}<script src="/app.js"></script></body></html>`, url, true)
  const isShown = (own: number, inScripts: number) =>
    shown(`<main><p>${words(own)}.</p></main>${carried(inScripts)}`).contents.text.startsWith('bee0 bee1')

  test('has those of its scripts where these are twice as many, unless it has 25', () => {
    expect([isShown(25, 60), isShown(24, 60)]).toEqual([true, false])
    expect([isShown(24, 48), isShown(24, 47)]).toEqual([false, true])
  })

  test('is its main content alone, from its first 800,000 letters', () => {
    const menu = '<nav><a href="/a">Menu</a></nav>'
    const page = (length: number) => {
      const head = `<html><body>${menu}<main><p>${words(30)}.</p><!--`
      return `${head}${'-'.repeat(length - head.length - 3)}--><p>Late.</p></main></body></html>`
    }
    const rough = (length: number) => extractRough(page(length), url).contents.markdown
    expect(rough(700_000)).toEndWith('Late.')
    expect(rough(800_000)).toBe(`${words(30)}.`)
  })
})

test('the HTML of a page has no space around it', () => {
  const { contents } = extractHtml(`<body>\n <p>Bees hum.</p>\n\n</body>`, url, false)
  expect(contents.html).toBe('<p>Bees hum.</p>')
})

test('a field for a password in what lies over a page makes no login of it', () => {
  const field = '<input type="password">'
  expect(codesOf(`<p>Bees hum.</p><div aria-modal="true">${field}</div>`)).toEqual(both('read'))
  expect(codesOf(`<p>Bees hum.</p><div aria-modal="false">${field}</div>`)).toEqual(both('needs-login'))
})

test('a challenge has the status that came with it', () => {
  expect(challenged('Guard', 403)).toMatchObject({ status: 403, message: expect.stringContaining('page (403).') })
  expect(challenged('Guard').message).toEndWith('shows the page.')
})
