import { describe, expect } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
import { createGateway } from '@csp/gateway/gateway'
import type { Page } from 'playwright-core'
import type { SignIn } from '../../src/api/endpoints/own-parts.ts'
import { SearchError } from '../../src/domain/error.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import type { Job, Jobs } from '../../src/domain/job.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { ask, becomes, faultsOf, hasText, keepSaying, show, withBrowser } from './visit.ts'

// The page in a true browser, on a csp whose executor is scripted.

const { test, visit } = withBrowser()

describe('the search box', () => {
  test('shows the answer with links to its numbered sources', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await hasText(page, '.progress', '3 results in')
    expect(await page.textContent('.answer')).toBe('It is 🙂 so [2].')
    expect(await page.getAttribute('.answer a', 'href')).toBe('https://site2.example/docs/page')
    expect(await page.locator('.result .sources li').allTextContents()).toEqual([
      expect.stringContaining('Page 1'),
      expect.stringMatching(/Page 2.*cited/),
      expect.stringContaining('Page 3'),
    ])
    expect(executor.requests.map(({ query, effort }) => [query, effort])).toEqual([['What is it?', 'standard']])
    expect(complaints).toEqual([])
  })

  test('searches at once for a question in its address, once', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor, {}, '?q=What+is+it%3F')
    await hasText(visited.page, '.progress', '3 results in')
    await becomes(async () => visited.page.url(), `${visited.url}/#q=What+is+it%3F&model=sonar-pro`)
    await visited.page.reload()
    await becomes(() => visited.page.inputValue('#question'), 'What is it?')
    await hasText(visited.page, '#state', 'Version 1.2.3')
    expect(executor.requests.map(({ query }) => query)).toEqual(['What is it?'])
  })

  test('only fills in the question of its address where a link may have led to it, or a key is missing', async () => {
    const executor = scriptedExecutor(answered)
    for (const keys of [undefined, ['right-key']]) {
      await using visited = await visit(executor, { keys })
      const { page } = visited
      // Without `Sec-Fetch-Site`, as at an address of plain http beyond this machine.
      if (!keys) await page.route('**/?q=*', async (route) => route.fulfill({ response: await route.fetch() }))
      await page.goto(`${visited.url}/?q=What+is+it%3F`)
      await hasText(page, keys ? '#key-form' : '#state', keys ? 'requires a key' : 'Version 1.2.3')
      await page.unrouteAll()
      expect(await page.inputValue('#question')).toBe('What is it?')
    }
    expect(executor.calls).toHaveLength(0)
  })

  test('marks what was not found on the page, and says at the others what the page says', async () => {
    const common = { start: 0, end: 1, score: 0.5 }
    const evidence: Evidence[] = [
      {
        ...common,
        sentence: 'One',
        verdict: 'found',
        sources: [1],
        passage: { text: 'So it is.', source: 1, place: 0 },
      },
      { ...common, sentence: 'Two', verdict: 'partly', sources: [1], missing: [{ kind: 'number', text: '42' }] },
      { ...common, sentence: 'Three', verdict: 'not-found', sources: [1, 2] },
      {
        ...common,
        sentence: 'Four',
        verdict: 'partly',
        sources: [1, 2],
        passage: { text: 'Four is said.', source: 2, place: 0 },
      },
      {
        ...common,
        sentence: 'Five',
        verdict: 'not-read',
        sources: [3],
        reason: 'unreadable',
        passage: { text: 'About five.', source: 3, place: 0 },
      },
      {
        ...common,
        sentence: 'Six',
        verdict: 'found',
        sources: [1, 2],
        passage: { text: 'Six is so.', source: 2, place: 0 },
        passages: [
          { text: 'And six.', source: 1, place: 0 },
          { text: 'Six is so.', source: 2, place: 0 },
        ],
      },
      {
        ...common,
        sentence: 'Seven',
        verdict: 'not-found',
        sources: [3],
        passage: { text: 'Seven is not.', source: 3, place: 0 },
        judge: { model: 'haiku', says: 'contradicted', words: 'is not' },
      },
    ]
    const [start, results] = answered
    const done = answered.at(-1)
    const text = 'One [1]. Two [1]. Three [1][2]. Four [1][2]. Five [3]. Six [1][2]. Seven [3].'
    if (!start || !results || done?.type !== 'done') throw new Error('The answer of the tests has changed.')
    const events: SearchEvent[] = [start, results, { type: 'text-delta', text }, { ...done, evidence }]
    await using visited = await visit(scriptedExecutor(events))
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await hasText(page, '.progress', '3 results in')
    const markers = page.locator('.answer a.cite')
    expect(await markers.allTextContents()).toEqual([
      '[1]',
      '[1]?',
      '[1]?',
      '[2]?',
      '[1]',
      '[2]',
      '[3]',
      '[1]',
      '[2]',
      '[3]?',
    ])
    for (const [at, said] of [
      [0, 'Page 1site1.exampleThe page says: So it is.'],
      [1, 'Page 1site1.exampleNot on the page: 42'],
      [3, 'Page 2site2.exampleNot found on the pages it cites'],
      // Its own page alone.
      [4, 'Page 1site1.examplePartly found on [2]'],
      [5, 'Page 2site2.examplePartly found. The page says: Four is said.'],
      [6, 'Page 3site3.exampleNot compared: a page could not be read. The search quotes it: About five.'],
      [7, 'Page 1site1.exampleThe page says: And six.'],
      [8, 'Page 2site2.exampleThe page says: Six is so.'],
      [9, 'Page 3site3.exampleContradicted, as the judge says: is not'],
    ] as const) {
      await markers.nth(at).hover()
      await becomes(() => page.textContent('#evidence'), said)
      expect(await markers.nth(at).getAttribute('aria-label')).toContain(said.slice(said.indexOf('example') + 7))
    }
    await page.keyboard.press('Escape')
    await page.locator('#evidence').waitFor({ state: 'hidden' })
    await markers.nth(0).focus()
    await page.locator('#evidence').waitFor()
    await hasText(
      page,
      '.checked',
      'Sentences on the pages they cite: 2 found, 2 partly, 2 not found, 1 not read; judged by haiku. Doubtful ones are marked ?.',
    )
    // On a phone, the first tap says it, and the page stays.
    await page.evaluate(() => {
      const real = window.matchMedia.bind(window)
      window.matchMedia = (query) => real(query === '(hover: none)' ? 'all' : query)
    })
    for (const [at, said] of [
      [0, '[1] The page says: So it is.'],
      [3, '[2] Not found on the pages it cites'],
    ] as const) {
      await markers.nth(at).click()
      await becomes(() => page.locator('.answer .passage').allTextContents(), [said])
    }
    expect(page.url()).toStartWith(visited.url)
    expect(complaints).toEqual([])
  })

  test('says that an answer comes from the cache, and how old it is', async () => {
    const cached: SearchEvent = { type: 'cache', status: 'hit', ageSeconds: 125 }
    await using visited = await visit(scriptedExecutor([cached, ...answered]))
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.progress', ', from the cache, 2 min old.')
  })

  test('asks with the effort that is chosen', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    await visited.page.selectOption('#effort', { label: 'Deep' })
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.progress', 'results in')
    expect(executor.requests[0]?.effort).toBe('deep')
  })

  test('shows results and text while the rest is still to come', async () => {
    const more = Promise.withResolvers<void>()
    await using visited = await visit(
      scriptedExecutor([...answered.slice(0, 3), () => more.promise, ...answered.slice(3)]),
    )
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.progress', 'Writing from 3 results')
    await hasText(visited.page, '.answer', 'It is 🙂 so')
    await becomes(() => visited.page.locator('.steps .current').allTextContents(), ['Write'])
    expect(await visited.page.getAttribute('.answer', 'aria-busy')).toBe('true')
    more.resolve()
    await hasText(visited.page, '.answer', 'It is 🙂 so [2].')
    await hasText(visited.page, '.progress', 'results in')
    await becomes(() => visited.page.getAttribute('.answer', 'aria-busy'), 'false')
  })

  test('says first how long pages are waited for, then which have not come, so that a telephone shows it', async () => {
    const unread = [{ site: 'slow.example', code: 'timeout' }] as const
    const steps = [answered.slice(0, 2), { type: 'reading', pages: 3, maxMs: 4000 }] as const
    for (const [events, begins] of [
      [steps.flat(), 'Reading 3 pages, 4 s at most. 3 results: '],
      [
        [...steps, { type: 'reading', pages: 3, unread }].flat(),
        'Not read: slow.example (does not answer). 3 results: ',
      ],
    ] as const) {
      await using visited = await visit(scriptedExecutor([...events, untilAborted] as never))
      await visited.page.setViewportSize({ width: 320, height: 640 })
      await ask(visited.page, 'What is it?')
      await hasText(visited.page, '.progress', begins)
      expect((await visited.page.textContent('.progress'))?.replace(/^\d+ s · /, '')).toStartWith(begins)
    }
  })

  test('ends a search at Stop and at Escape, also in the server', async () => {
    for (const stop of [(page: Page) => page.click('#stop'), (page: Page) => page.keyboard.press('Escape')]) {
      const ended = Promise.withResolvers<void>()
      const wait = (signal: AbortSignal) => untilAborted(signal).finally(() => ended.resolve())
      await using visited = await visit(scriptedExecutor([...answered.slice(0, 3), wait]))
      await ask(visited.page, 'What is it?')
      await hasText(visited.page, '.answer', 'It is')
      await stop(visited.page)
      await hasText(visited.page, '.progress', 'Stopped.')
      await ended.promise
      await visited.page.locator('#submit').waitFor()
      expect(await visited.page.textContent('.answer')).toContain('It is')
    }
  })

  test('says what went wrong and what to do, before and during an answer', async () => {
    const full = new SearchError('busy', 'Queue full (3 running, 100 queued).', { retryAfterSeconds: 7 })
    await using early = await visit(scriptedExecutor([full]))
    await ask(early.page, 'What is it?')
    await hasText(early.page, '.failure', 'Queue full (3 running, 100 queued).')
    expect(await early.page.textContent('.failure')).toContain('Try again in 7 s.')

    const out = new SearchError('signed-out', 'The CLI is signed out.')
    await using late = await visit(scriptedExecutor([...answered.slice(0, 3), out]))
    await ask(late.page, 'What is it?')
    await hasText(late.page, '.failure', 'The CLI is signed out.')
    expect(await late.page.locator('.failure > .line button').allTextContents()).toEqual([
      'Show what is wrong',
      'Search again',
    ])
    await late.page.click('.failure button')
    await late.page.locator('#state').waitFor()
    await show(late.page, 'search')
    await late.page.locator('#submit').waitFor()
  })

  test('says that the connection was lost where an answer is cut off', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    await visited.page.evaluate(() => {
      // One for each request: the page also asks for the state.
      const cut = () => new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })
      Object.assign(window, { fetch: async () => new Response(cut()) })
    })
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.failure', 'The connection to csp was lost.')
    await visited.page.locator('#submit').waitFor()
  })

  test('offers three questions where there is none', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const examples = visited.page.locator('#examples button')
    expect(await examples.count()).toBe(3)
    const first = (await examples.first().textContent()) ?? ''
    await examples.first().click()
    await hasText(visited.page, '.progress', 'results in')
    expect(executor.requests[0]?.query).toBe(first)
    expect(await visited.page.isVisible('#examples')).toBe(false)
  })

  test('searches again past the cache, and the box goes down at once', async () => {
    const answer = Promise.withResolvers<void>()
    const executor = scriptedExecutor([() => answer.promise, ...answered])
    await using visited = await visit(executor)
    const { page } = visited
    const top = async () => (await page.locator('#ask').boundingBox())?.y ?? 0
    const before = await top()
    await ask(page, 'What is it?')
    await becomes(async () => (await top()) > before, true)
    answer.resolve()
    await hasText(page, '.progress', 'results in')
    const request = page.waitForRequest('**/chat/completions')
    await page.click('.again')
    expect((await request).headers()['cache-control']).toBe('no-cache')
    await hasText(page, '.progress', 'results in')
  })

  test('goes on with a follow-up, which has what was said before, and begins anew', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await hasText(page, '.progress', '3 results in')
    expect(await page.inputValue('#question')).toBe('')
    expect(await page.getAttribute('#question', 'placeholder')).toBe('Ask a follow-up')
    await ask(page, 'And why?')
    await hasText(page, '.exchange:nth-child(2) .progress', '3 results in')
    expect(await page.locator('.asked').allTextContents()).toEqual(['What is it?', 'And why?'])
    expect(executor.requests.map(({ query, history }) => [query, history.length])).toEqual([
      ['What is it?', 0],
      ['And why?', 2],
    ])
    await page.click('#new-question')
    await becomes(() => page.locator('.exchange').count(), 0)
    await ask(page, 'What else?')
    await hasText(page, '.progress', '3 results in')
    expect(executor.requests.at(-1)?.history).toEqual([])
    expect(complaints).toEqual([])
  })

  test('copies an answer as Markdown with the sources that it cites, and saves its receipt', async () => {
    const done = answered.at(-1)
    if (done?.type !== 'done') throw new Error('The answer of the tests has changed.')
    const receipt = { id: 'a'.repeat(32), owner: '' }
    await using visited = await visit(scriptedExecutor([...answered.slice(0, -1), { ...done, receipt } as never]))
    const { page } = visited
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.route('**/v1/receipts/*', (route) => route.fulfill({ body: '<p>So it was.</p>' }))
    await ask(page, 'What is *it*?')
    await hasText(page, '.progress', '3 results in')
    await keepSaying(page)
    await page.click('.actions .copy')
    await hasText(page, '.actions .copy', 'Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      '**What is it?**\n\nIt is 🙂 so [2].\n\n2. [Page 2](<https://site2.example/docs/page>)',
    )
    const download = page.waitForEvent('download')
    await page.click('.actions .receipt')
    expect((await download).suggestedFilename()).toBe('receipt-aaaaaaaa.html')
    await page.unrouteAll()
  })

  test('keeps the question when the page is loaded again, and searches only when it is told to', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    await ask(visited.page, 'Why & how?')
    await hasText(visited.page, '.progress', 'results in')
    await visited.page.reload()
    await hasText(visited.page, '#state', 'Searches work')
    expect(await visited.page.inputValue('#question')).toBe('Why & how?')
    expect(executor.calls).toHaveLength(1)
  })
})

describe('text of a model or a page', () => {
  test('stays text, whatever it says', async () => {
    const attack = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    const results = [
      { title: attack, url: 'javascript:document.title="owned"', snippet: attack, source: 'scripted' },
      { title: 'Fine', url: 'https://fine.example/', snippet: undefined, source: 'scripted' },
    ]
    await using visited = await visit(
      scriptedExecutor([
        { type: 'search-start', id: 's1', query: attack },
        { type: 'search-results', id: 's1', results },
        { type: 'text-delta', text: `${attack} [1] [2] [a](javascript:alert(1))` },
        { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
      ]),
    )
    const { page, complaints } = visited
    await ask(page, attack)
    await hasText(page, '.progress', '2 results in')
    expect(await page.textContent('.answer')).toContain(attack)
    expect(await page.textContent('.result .sources')).toContain(attack)
    expect(await page.locator('.result img, .result script').count()).toBe(0)
    const links = await page.locator('.result a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual(['https://fine.example/', 'https://fine.example/'])
    expect(await page.title()).toBe('claude-search-proxy')
    expect(complaints).toEqual([])
  })
})

/** Replies of csp arrive and are not read before `letRead()`. */
const holdReplies = (page: Page) =>
  page.evaluate(() => {
    const { json } = Response.prototype
    const read = Promise.withResolvers<void>()
    Object.assign(window, { arrived: false, letRead: read.resolve })
    Response.prototype.json = async function () {
      Object.assign(window, { arrived: true })
      await read.promise
      return json.call(this)
    }
  })

describe('keys', () => {
  test('are asked for, refused when they are wrong, kept in the tab, and sent with a search', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor, { keys: ['right-key'] })
    const { page } = visited
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await hasText(page, '#key-note', 'The key is wrong.')
    await hasText(page, '#state', 'A key shows the rest.')
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.locator('#key-form').waitFor({ state: 'hidden' })
    await becomes(() => page.evaluate(() => document.activeElement?.id), 'question')
    await hasText(page, '#state', 'Version 1.2.3')
    await ask(page, 'What is it?')
    await hasText(page, '.progress', 'results in')
    expect(executor.calls).toHaveLength(1)
    await page.reload()
    await hasText(page, '#state', 'Version 1.2.3')
    expect(await page.isVisible('#key-form')).toBe(false)
    expect(page.url()).not.toContain('right-key')
  })

  test('stay where they are entered before csp has refused the one before', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    await hasText(page, '#state', 'A key shows the rest.')
    await holdReplies(page)
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await becomes(() => page.evaluate('arrived'), true)
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.evaluate('letRead()')
    await page.locator('#key-form').waitFor({ state: 'hidden' })
    await hasText(page, '#state', 'Version 1.2.3')
  })

  test('stay where they are entered before a search without one was refused', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    await hasText(page, '#state', 'A key shows the rest.')
    await holdReplies(page)
    await ask(page, 'What is it?')
    await becomes(() => page.evaluate('arrived'), true)
    await page.fill('#key', 'right-key')
    await page.keyboard.press('Enter')
    await page.evaluate('letRead()')
    await hasText(page, '.failure', 'Enter a key of this csp above.')
    await hasText(page, '#state', 'Version 1.2.3')
    expect(await page.evaluate(() => sessionStorage.getItem('csp-key'))).toBe('right-key')
  })

  test('can be changed, and what is typed stays while the state is asked for', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['one-key', 'other-key'] })
    const { page } = visited
    await page.fill('#key', 'one-key')
    await page.keyboard.press('Enter')
    await page.click('#change-key')
    await page.fill('#key', 'other-key')
    for (let count = 0; count < 2; count++) await page.waitForResponse('**/v1/requests')
    expect(await page.inputValue('#key')).toBe('other-key')
    await page.keyboard.press('Enter')
    await page.locator('#key-form').waitFor({ state: 'hidden' })
    await ask(page, 'What is it?')
    await hasText(page, '#requests', 'key-2')
  })

  test('are remembered on this device only where that is chosen, and forgotten when they are wrong', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page } = visited
    const kept = () => page.evaluate(() => [localStorage.length, sessionStorage.length])
    await page.fill('#key', 'right-key')
    await page.check('#remember')
    await page.keyboard.press('Enter')
    await page.locator('#key-form').waitFor({ state: 'hidden' })
    expect(await kept()).toEqual([1, 0])
    await page.click('#change-key')
    await page.fill('#key', 'wrong-key')
    await page.keyboard.press('Enter')
    await hasText(page, '#key-note', 'The key is wrong.')
    expect(await kept()).toEqual([0, 0])
  })

  test('come with the fragment of an address, and leave it at once', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] }, '#key=right-key&q=bees')
    await hasText(visited.page, '#state', 'Version 1.2.3')
    await becomes(async () => visited.page.url(), `${visited.url}/#q=bees`)
    expect(await visited.page.evaluate(() => localStorage.length)).toBe(0)
    // As the QR code of `csp keys add` has it.
    await visited.page.goto('about:blank')
    await visited.page.goto(`${visited.url}/#key=right-key&remember=on`)
    await hasText(visited.page, '#state', 'Version 1.2.3')
    await becomes(async () => visited.page.url(), `${visited.url}/#`)
    expect(await visited.page.evaluate(() => localStorage.length)).toBe(1)
  })

  for (const [kept, isRemembered, link] of [
    ['of this tab', false, '#key=another-key'],
    ['of this tab, to be remembered', false, '#key=another-key&remember=on'],
    ['of this device', true, '#key=another-key'],
    ['of this device, to be remembered', true, '#key=another-key&remember=on&q=bees'],
    ['of this device, in another order', true, '#remember=on&q=bees&key=another-key'],
  ] as const)
    test(`${kept} make way for another key of a link (${link}) only when that is confirmed`, async () => {
      const keys = ['right-key', 'another-key']
      const first = `#key=right-key${isRemembered ? '&remember=on' : ''}`
      await using visited = await visit(scriptedExecutor(answered), { keys }, first)
      const { page, url } = visited
      const questions: string[] = []
      let isAccepted = false
      page.on('dialog', (dialog) => {
        questions.push(dialog.message())
        void (isAccepted ? dialog.accept() : dialog.dismiss())
      })
      const stored = () =>
        page.evaluate(() => [sessionStorage.getItem('csp-key'), localStorage.getItem('csp-key')].filter(Boolean))
      const follow = async (fragment: string) => {
        await page.evaluate((to) => {
          location.hash = to
          location.reload()
        }, fragment)
        await becomes(async () => page.url().includes('key='), false)
        await hasText(page, '#state', 'Version 1.2.3')
      }
      await becomes(stored, ['right-key'])
      await follow(first)
      expect(questions).toEqual([])
      await follow(link)
      expect(questions).toHaveLength(1)
      expect(questions[0]).toContain('another key is stored')
      expect(await stored()).toEqual(['right-key'])
      isAccepted = true
      await follow(link)
      expect(await stored()).toEqual(['another-key'])
      expect(page.url()).toStartWith(`${url}/#`)
    })

  test('are asked for by a search that lacks one', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.failure', 'Enter a key of this csp above.')
    await visited.page.locator('#key-form').waitFor()
  })
})

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** A plan of which a tenth is kept, and a budget. */
const withLimits = (): ExecutorHealth => ({
  ready: true,
  backends: [
    {
      ...{ name: 'claude', ready: true, signedIn: true, plan: { reserve: 0.1, planOnly: true } },
      rateLimit: { status: 'allowed', window: 'five_hour', utilization: 0.37, resetsAt: inAnHour() },
    },
  ],
  budget: { limits: [{ kind: 'searches', window: 'day', limit: 10, used: 9, left: 1, resetsAt: inAnHour() }] },
})

describe('the state', () => {
  test('shows each limit as a bar, with the kept part of the plan and its reset', async () => {
    await using visited = await visit(scriptedExecutor(answered, withLimits()), {}, '#state')
    const gauges = visited.page.locator('.gauge')
    await gauges.nth(1).waitFor()
    const texts = (await gauges.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(/^Claude 5-hour limit 37% Resets .*\((in 59 min|in 1 h 0 min)\)$/)
    expect(texts[1]).toMatch(/^Budget: searches a day 90% Resets /)
    const widths = await visited.page
      .locator('.gauge-bar span')
      .evaluateAll((all) => all.map((one) => (one instanceof HTMLElement ? `${one.className} ${one.style.width}` : '')))
    expect(widths).toEqual(['ok 37%', 'kept 10%', 'warning 90%'])
    // What is wrong stands in the line.
    await hasText(visited.page, '#state-line', 'Budget: searches a day: 9 of 10')
  })

  test('has a row for everything, with its reason and the next try', async () => {
    const health: ExecutorHealth = {
      ready: true,
      backends: [
        {
          name: 'claude',
          ready: false,
          signedIn: false,
          problem: 'The CLI is signed out.',
          breaker: { state: 'open', retryAt: inAnHour(), failures: 5 },
          rateLimit: {
            status: 'rejected',
            windows: [
              { status: 'rejected', window: 'five_hour', utilization: 1, resetsAt: inAnHour() },
              { status: 'allowed', window: 'seven_day', utilization: 0.42, resetsAt: inAnHour() },
            ],
          },
        },
        { name: 'brave', ready: true, engines: { attic: 'ready, 12 ms away' } },
      ],
      queue: { running: 2, waiting: 1, concurrency: 3, capacity: 100, estimatedWaitSeconds: 4 },
      cache: { hits: 3, stale: 0, misses: 1 },
      budget: { limits: [{ kind: 'searches', window: 'day', limit: 10, used: 10, left: 0, resetsAt: inAnHour() }] },
    }
    const upstreams = [{ name: 'local', ready: false, problem: 'The upstream does not answer.' }]
    const gateway = { ...createGateway({ upstreams: [] }), health: () => upstreams }
    const tunnel = () => ({ url: 'https://edge.example', home: 'attic', connected: true, running: 0, served: 9 })
    await using visited = await visit(scriptedExecutor(answered, health), { tunnel, gateway }, '#state')
    const { page, complaints } = visited
    await hasText(page, '#status', 'No new searches')
    await page.locator('#state-rest summary').click()
    // A part that is folded has no lines.
    await page.locator('#rows dt').first().waitFor()
    const rows = await page.locator('#rows > div').allInnerTexts()
    const row = (name: string) => rows.find((text) => text.startsWith(`${name}\n`))?.replaceAll(/\s+/g, ' ')
    // With its date in the last hour of a day.
    const soon = expect.stringMatching(/ at (\w+ \d+, )?[\d:]+ ?[AP]?M? \(in (59 min|1 h 0 min)\)\.$/)
    expect(row('claude')).toContain('Problem The CLI is signed out. Not asked after failures in a row.')
    expect(row('claude')).toEqual(soon)
    expect(row('claude login')).toContain('Run csp login on that machine')
    expect(row('claude 5-hour limit')).toContain('Problem Reached.')
    expect(row('claude 5-hour limit')).toEqual(soon)
    expect(row('claude 7-day limit')).toContain('42% used.')
    expect(row('brave')).toContain('Ready. attic: ready, 12 ms away')
    expect(row('Upstream local')).toContain('Problem The upstream does not answer.')
    expect(row('Queue')).toContain('2 of 3 running, 1 waiting. A new search waits about 4 s.')
    expect(row('Cache')).toContain('3 of 4 from the cache')
    expect(row('Budget: searches a day')).toContain('Problem 10 of 10 (')
    expect(row('Tunnel')).toContain('Connected to https://edge.example as attic; 0 running, 9 served.')
    const troubles = await page.locator('#troubles dt').allInnerTexts()
    expect(troubles).toContain('claude 5-hour limit')
    expect(troubles).not.toContain('Tunnel')
    expect(complaints).toEqual([])
  })

  test('no longer says that csp works once a search has failed, until one succeeds', async () => {
    const lastError = { code: 'failed', message: 'It broke.', at: new Date().toISOString() } as const
    const backend = { name: 'claude', ready: true, lastError }
    let lastSearchFailed = true
    const health = async () => ({ ready: true, backends: [{ ...backend, lastSearchFailed }] })
    await using visited = await visit({ ...scriptedExecutor(answered), health })
    await hasText(visited.page, '#status', 'Degraded')
    await hasText(visited.page, '#state-line', 'The last search failed.')
    await hasText(visited.page, '#troubles', 'It broke.')
    lastSearchFailed = false
    await hasText(visited.page, '#status', 'Works')
    expect(await visited.page.locator('#troubles > div').count()).toBe(0)
  })

  test('says that a limit allows no new search, and until when', async () => {
    const resetsAt = new Date(Date.now() + 5.5 * 3600e3).toISOString()
    const limit = { kind: 'searches', window: 'day', limit: 500, used: 500, left: 0, resetsAt } as const
    const health = { ready: true, backends: [{ name: 'claude', ready: true }], budget: { limits: [limit] } }
    await using visited = await visit(scriptedExecutor(answered, { ...health, memory: { pages: 3 } }))
    const { page } = visited
    await hasText(page, '#status', 'No new searches')
    expect(await page.textContent('#state-line')).toMatch(
      /^No new searches until .*\(in 5 h (?:29|30) min\): daily limit of 500 searches\. Works from memory\.\s+Version/,
    )
  })

  test('says that csp has gone, and comes back with it', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    await hasText(visited.page, '#status', 'Works')
    await visited.page.context().setOffline(true)
    await hasText(visited.page, '#status', 'No answer')
    await hasText(visited.page, '#state', 'No answer since')
    await visited.page.context().setOffline(false)
    await hasText(visited.page, '#status', 'Works')
    expect(await visited.page.textContent('#state')).not.toContain('No answer')
  })

  test('says what to do where a proxy stands before a csp without keys', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    await visited.page.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.1' })
    await visited.page.reload()
    await hasText(visited.page, '#state', 'csp keys add NAME')
    await ask(visited.page, 'What is it?')
    await hasText(visited.page, '.failure', 'csp keys add NAME')
    expect(executor.calls).toHaveLength(0)
  })

  test('lists what is answered in the background, where there is anything', async () => {
    const job = { owner: '', vendor: 'openai', input: {}, createdAt: Date.now(), id: 'a'.repeat(32) }
    const request = { want: 'answer', query: 'Why?', history: [], effort: 'deep', filters: {} } as const
    const failure = { code: 'failed', message: 'It broke.' } as const
    const found: Job[] = [{ ...job, request, status: 'failed', failure, endedAt: Date.now() }]
    const none = async () => {
      throw new Error('The page only lists them.')
    }
    const jobs: Jobs = {
      ...{
        create: none,
        get: none,
        state: none,
        events: none,
        changed: none,
        cancel: none,
        remove: none,
        counts: none,
      },
      wait: () => () => {},
      list: async () => found,
    }
    await using visited = await visit(scriptedExecutor(answered), { jobs })
    await hasText(visited.page, '#job-rows', 'Why?')
    expect(await visited.page.textContent('#job-rows')).toMatch(/^failedWhy\?openai, ended .*: It broke\.$/)
    found.pop()
    await visited.page.locator('#jobs').waitFor({ state: 'hidden' })
  })

  test('lists the last requests, each with a bar of its parts', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    await ask(visited.page, 'secret words')
    await hasText(visited.page, '#requests tbody tr', 'POST /chat/completions')
    expect(await visited.page.locator('#requests svg circle.searched').count()).toBe(1)
    expect(await visited.page.getAttribute('#requests svg', 'aria-label')).toMatch(
      /^Time of the last 1 requests\. Today: median .+\. The slowest took .+\.$/,
    )
    expect(await visited.page.getAttribute('#requests .bar', 'aria-label')).toMatch(/^queue .+, upstream .+, ours .+$/)
    expect(await visited.page.textContent('#requests')).not.toContain('secret')
  })
})

describe('the sign-in', () => {
  const signedOut = { ready: false, backends: [{ name: 'claude', ready: false, signedIn: false }] }

  /** A login that shows a link, refuses the first code and takes the second. */
  function scriptedSignIn() {
    const codes: string[] = []
    const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const left = Promise.withResolvers<void>()
    const state = { health: signedOut as ExecutorHealth, begun: 0 }
    const signIn: SignIn = {
      async *begin(signal) {
        state.begun++
        signal.addEventListener('abort', () => left.resolve(), { once: true })
        yield { type: 'started', id: 'one' }
        yield { type: 'link', url: 'https://claude.com/cai/oauth/authorize?state=s' }
        await Promise.race([entered[0].promise, left.promise])
        if (signal.aborted) return
        yield { type: 'note', text: 'That is not the full code.' }
        await entered[1].promise
        state.health = { ready: true, backends: [{ name: 'claude', ready: true, signedIn: true }] }
        yield { type: 'done' }
      },
      async enter(_, code) {
        entered[Math.min(codes.push(code), 2) - 1]?.resolve()
        return true
      },
    }
    const executor = { ...scriptedExecutor(answered), health: async () => state.health }
    return { executor, signIn, codes, state, left: left.promise }
  }

  test('leads from the link to the code and to searches that work, by keyboard alone', async () => {
    const { executor, signIn, codes } = scriptedSignIn()
    await using visited = await visit(executor, { signIn })
    const { page, complaints } = visited
    await page.locator('#sign-in-start').focus()
    await page.keyboard.press('Enter')
    const link = page.locator('#sign-in-link')
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://claude.com/cai/oauth/authorize?state=s')
    await becomes(() => page.evaluate(() => document.activeElement?.id), 'sign-in-link')
    await page.keyboard.press('Tab')
    await page.keyboard.type('half')
    await page.keyboard.press('Enter')
    await hasText(page, '#sign-in-note', 'That is not the full code.')
    // The form is emptied with the reply to the code, which may come after what is said of it.
    await becomes(() => page.inputValue('#code'), '')
    expect(await faultsOf(page)).toEqual([])
    await page.fill('#code', 'whole#s')
    await page.keyboard.press('Enter')
    await page.locator('#sign-in').waitFor({ state: 'hidden' })
    await hasText(page, '#status', 'Works')
    expect(codes).toEqual(['half', 'whole#s'])
    expect(complaints).toEqual([])
  })

  test('stands in the error of a search, with the cure as a button', async () => {
    const { signIn, state } = scriptedSignIn()
    const failing = scriptedExecutor([new SearchError('signed-out', 'Claude is signed out.')])
    await using visited = await visit({ ...failing, health: async () => state.health }, { signIn })
    const { page } = visited
    await page.locator('#sign-in-start').waitFor()
    await ask(page, 'What is it?')
    await page.locator('.failure #sign-in-start').click()
    await page.locator('.failure #sign-in-link').waitFor()
    await page.click('#sign-in-cancel')
    await show(page, 'state')
    await page.locator('#state #sign-in-start').waitFor()
  })

  test('ends at Cancel, and can begin again', async () => {
    const { executor, signIn, state, left } = scriptedSignIn()
    await using visited = await visit(executor, { signIn })
    await visited.page.click('#sign-in-start')
    // Earlier, the request may not have left.
    await visited.page.locator('#sign-in-link').waitFor()
    await visited.page.click('#sign-in-cancel')
    await left
    await hasText(visited.page, '#sign-in-note', 'Cancelled.')
    await visited.page.click('#sign-in-start')
    await visited.page.locator('#sign-in-link').waitFor()
    expect(state.begun).toBe(2)
  })

  test('is offered only where Claude is signed out and csp can do it', async () => {
    await using visited = await visit({ ...scriptedExecutor(answered), health: async () => signedOut })
    await hasText(visited.page, '#troubles', 'csp login')
    await hasText(visited.page, '#status', 'Signed out')
    expect(await visited.page.isVisible('#sign-in')).toBe(false)
  })
})

describe('views', () => {
  test('have addresses of their own, and the state its badge on each', async () => {
    const out = { ready: false, backends: [{ name: 'claude', ready: false, problem: 'It is down.' }] }
    await using visited = await visit(scriptedExecutor(answered, out), {}, '#clients')
    const { page } = visited
    const shown = () => page.locator('[data-view]:visible').evaluateAll((all) => all.map((one) => one.dataset['view']))
    await hasText(page, '#status', 'Down')
    await becomes(shown, ['clients'])
    await page.click('#status')
    await becomes(shown, ['state', 'state'])
    await becomes(async () => page.url(), `${visited.url}/#state`)
    await hasText(page, '#state-line', 'It is down.')
    await page.goBack()
    await becomes(shown, ['clients'])
    await page.goto(`${visited.url}/#nothing`)
    await becomes(shown, ['search'])
    expect(await page.locator('nav [aria-current]').allInnerTexts()).toEqual(['Search'])
  })

  test('say on each that nothing is real on the sandbox', async () => {
    await using visited = await visit({ ...scriptedExecutor(answered), isSandbox: true } as never)
    for (const view of ['search', 'state', 'clients', 'data'] as const) {
      await show(visited.page, view)
      await visited.page.locator('header', { hasText: 'Sandbox: nothing here comes from the web' }).waitFor()
    }
    await using real = await visit(scriptedExecutor(answered))
    expect(await real.page.getByText('Sandbox').count()).toBe(0)
  })

  test('can be installed, and take what a phone shares', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page, url, complaints } = visited
    const href = await page.locator('link[rel=manifest]').evaluate((link) => (link as HTMLLinkElement).href)
    const manifest = await (await fetch(href)).json()
    const touched = page.locator('link[rel=apple-touch-icon]')
    const sizes = touched.evaluate(async (link) => {
      const picture = new Image()
      picture.src = (link as HTMLLinkElement).href
      await picture.decode()
      return [picture.naturalWidth, picture.naturalHeight]
    })
    expect(await sizes).toEqual([180, 180])
    const icon = await fetch(new URL(manifest.icons[0].src, href))
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const { action, params } = manifest.share_target
    const shared = new URL(action, href)
    shared.searchParams.set(params.text, 'What is shared?')
    expect(shared.origin).toBe(url)
    await page.goto(String(shared))
    await hasText(page, '.asked', 'What is shared?')
    await hasText(page, '.progress', '3 results in')
    expect(complaints).toEqual([])
  })
})

describe('the page', () => {
  test('has configurations with the address of this csp, and copies them', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page, url } = visited
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(page, 'clients')
    await keepSaying(page)
    await page.locator('summary', { hasText: 'Cursor' }).click()
    await page.getByLabel('Copy the configuration for Cursor').click()
    await hasText(page, '#connect button', 'Copied')
    const copied: unknown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
    expect(copied).toEqual({ mcpServers: { csp: { url: `${url}/mcp` } } })
  })

  test('can be used by keyboard alone', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page } = visited
    await hasText(page, '#state', 'Searches work')
    // The question has the focus at first.
    await page.keyboard.type('What is it?')
    await page.keyboard.press('Enter')
    await hasText(page, '.progress', 'results in')
    const reached = async (key: string) => {
      await page.keyboard.press(key)
      return page.evaluate(() => document.activeElement?.id || document.activeElement?.className || '')
    }
    expect([await reached('Tab'), await reached('Tab'), await reached('Tab')]).toEqual([
      'effort',
      'new-question',
      'submit',
    ])
    await page.focus('#question')
    const before: string[] = []
    for (let count = 0; count < 6; count++) before.push(await reached('Shift+Tab'))
    // The three results, then the buttons of the answer, then its marker.
    expect(before).toEqual(['', '', '', 'plain again', 'plain copy', 'cite'])
    await page.focus('nav a')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('#state').waitFor()
    await page.locator('#ask').waitFor({ state: 'hidden' })
  })

  test('fits the width of a telephone and of a desk', async () => {
    for (const width of [320, 390, 1280]) {
      await using visited = await visit(scriptedExecutor(answered))
      const { page } = visited
      await page.setViewportSize({ width, height: 800 })
      await ask(page, 'What is it?')
      await hasText(page, '.progress', 'results in')
      const [answer, sources] = await Promise.all([
        page.locator('.answer').boundingBox(),
        page.locator('aside').boundingBox(),
      ])
      expect((sources?.y ?? 0) > (answer?.y ?? 0)).toBe(width < 700)
      await page.evaluate(() => {
        for (const part of document.querySelectorAll('details')) part.open = true
      })
      for (const view of ['clients', 'data', 'state'] as const) {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        await show(page, view)
      }
      // The rows are written anew with each look at the state, so both are measured in one step.
      await page.waitForFunction((isNarrow) => {
        const [name, text] = ['dt', 'dd'].map((tag) => document.querySelector(`#rows ${tag}`)?.getBoundingClientRect())
        return name && text && text.height > 0 && text.y > name.y === isNarrow
      }, width < 700)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })

  // What axe finds differs where the layout does.
  for (const width of [320, 1280]) {
    test(`has no fault that axe finds, at ${width} pixels, light and dark`, async () => {
      await using visited = await visit(scriptedExecutor(answered))
      const { page } = visited
      await page.setViewportSize({ width, height: 800 })
      await ask(page, 'What is it?')
      await hasText(page, '.progress', 'results in')
      for (const view of ['search', 'state', 'clients', 'data'] as const) {
        await show(page, view)
        if (view === 'clients') await page.locator('#connect summary').first().click()
        expect([view, await faultsOf(page)]).toEqual([view, []])
      }
    })
  }

  for (const width of [320, 390, 1280]) {
    test(`does not jump while it searches, at ${width} pixels`, async () => {
      const asked = Promise.withResolvers<Page>()
      /** The next piece comes once the page has drawn so many letters. */
      const drawn = (letters: number) => async () => {
        const isDrawn = (least: number) => (document.querySelector('.answer')?.textContent ?? '').length >= least
        await (await asked.promise).waitForFunction(isDrawn, letters)
      }
      const text = 'It is so, and has long been so. '.repeat(4)
      const script = [
        drawn(0),
        ...answered.slice(0, 2),
        () => asked.promise.then((page) => page.locator('.result .sources li').first().waitFor({ state: 'attached' })),
        ...[1, 2, 3, 4].flatMap((count) => [{ type: 'text-delta', text } as const, drawn((text.length - 1) * count)]),
        ...answered.slice(2),
      ]
      await using visited = await visit(scriptedExecutor(script, withLimits()))
      const { page } = visited
      await page.setViewportSize({ width, height: 800 })
      // Nor while it fills at first.
      await page.reload()
      await hasText(page, '#state', 'Version 1.2.3')
      await page.evaluate(`window.shift = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
        }).observe({ type: 'layout-shift', buffered: true })`)
      const shift = () => page.evaluate<number>('window.shift')
      // Two frames later, all that has moved is counted.
      const isCounted = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))')
      await isCounted()
      const atFirst = await shift()
      await ask(page, 'What is it?')
      await page.locator('.steps .current').waitFor()
      // What moves in half a second is the effect of the click, which is as wide as it is. A slow machine takes longer.
      await page.evaluate('new Promise((done) => setTimeout(done, 600))')
      const afterClick = await shift()
      asked.resolve(page)
      await hasText(page, '.progress', 'results in')
      await page.waitForResponse('**/v1/requests')
      await isCounted()
      expect(atFirst + (await shift()) - afterClick).toBeLessThan(0.05)
    })
  }

  test('filters the clients, with their groups', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page } = visited
    await show(page, 'clients')
    const shown = () => page.locator('#connect h3:visible, #connect summary:visible').allTextContents()
    await hasText(page, '#connect', 'Claude Desktop')
    expect(await shown()).toContain('Claude Desktop')
    await page.fill('#client-filter', 'zed')
    await becomes(shown, ['Editors and coding agents', 'Zed'])
    await page.fill('#client-filter', 'nothing')
    await becomes(shown, [])
    expect(await page.textContent('#no-client')).toContain('No client has this name.')
  })

  test('follows the theme of its visitor', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const paper = () => visited.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await visited.page.emulateMedia({ colorScheme: 'light' })
    const light = await paper()
    await visited.page.emulateMedia({ colorScheme: 'dark' })
    await becomes(async () => (await paper()) === light, false)
  })
})
