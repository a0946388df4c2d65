import { describe, expect } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
import type { Page } from 'playwright-core'
import { SearchError } from '../../src/domain/error.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { ask, becomes, faultsOf, isAnswered, keepSaying, withBrowser } from './visit.ts'

// Asking, and what comes of it, on a csp whose executor is scripted.

const { test, visit } = withBrowser()
const notice = (page: Page, title: string) =>
  page.locator('.notice', { has: page.getByRole('heading', { name: title }) })

const [start, results] = answered
const done = answered.at(-1)
if (!start || !results || done?.type !== 'done') throw new Error('The answer of the tests has changed.')

const common = { start: 0, end: 1, score: 0.5 }
const evidence: readonly Evidence[] = [
  {
    ...common,
    sentence: 'One is so',
    verdict: 'found',
    sources: [1],
    passage: { text: 'Yes, one is so.', source: 1, place: 0 },
    unseen: ['rarely', 'always'],
  },
  { ...common, sentence: 'Two is odd', verdict: 'partly', sources: [1], missing: [{ kind: 'number', text: '42' }] },
  { ...common, sentence: 'Three is big', verdict: 'not-found', sources: [1, 2] },
  {
    ...common,
    sentence: 'Four is even',
    verdict: 'partly',
    sources: [1, 2],
    passage: { text: 'Four is said.', source: 2, place: 0 },
  },
  {
    ...common,
    sentence: 'Five is odd',
    verdict: 'not-read',
    sources: [3],
    reason: 'unreadable',
    passage: { text: 'About five.', source: 3, place: 0 },
  },
  {
    ...{ ...common, sentence: 'Seven is odd', verdict: 'not-found', sources: [3] },
    passage: { text: 'Seven is not.', source: 3, place: 0 },
    judge: { model: 'haiku', says: 'contradicted', words: 'is not' },
  },
]
const checkedText =
  'One is so [1]. **Two** is odd [1]. Three is big [1][2].\n\n- Four is even [1][2]\n- Five is odd [3]\n\nSeven is odd [3].'
const checked: readonly SearchEvent[] = [
  start,
  results,
  { type: 'text-delta', text: checkedText },
  { ...done, evidence },
]

describe('a question', () => {
  test('gets an answer with links to its numbered sources, those that it cites first', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await isAnswered(page)
    expect(await page.locator('.prose').innerText()).toMatch(/^It is 🙂 so\s+\[?2\]?\.$/)
    expect(await page.locator('.prose a').getAttribute('href')).toBe('https://site2.example/docs/page')
    expect(await page.locator('.facts').innerText()).toMatch(/Standard\s+3 results\s+[\d.]+ s/)
    const cards = page.locator('.scard .t')
    expect(await cards.allTextContents()).toEqual(['Page 2'])
    await page.getByRole('button', { name: '2 more results, not cited' }).click()
    expect(await cards.allTextContents()).toEqual(['Page 2', 'Page 1', 'Page 3'])
    expect(executor.requests.map(({ query, effort }) => [query, effort])).toEqual([['What is it?', 'standard']])
    expect(executor.requests[0]?.instructions).toContain('Markdown')
    expect(complaints).toEqual([])
  })

  test('of an address is asked at once, once', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor, {}, '?q=What+is+it%3F')
    await isAnswered(visited.page)
    await becomes(async () => visited.page.url(), `${visited.url}/#q=What+is+it%3F&model=sonar-pro`)
    await visited.page.reload()
    await becomes(() => visited.page.getByRole('textbox', { name: 'Question' }).inputValue(), 'What is it?')
    expect(executor.requests.map(({ query }) => query)).toEqual(['What is it?'])
  })

  test('of an address is only filled in where a link may have led to it, or a key is missing', async () => {
    const executor = scriptedExecutor(answered)
    for (const keys of [undefined, ['right-key']]) {
      await using visited = await visit(executor, { keys })
      const { page } = visited
      // Without `Sec-Fetch-Site`, as at an address of plain http beyond this machine.
      if (!keys) await page.route('**/?q=*', async (route) => route.fulfill({ response: await route.fetch() }))
      await page.goto(`${visited.url}/?q=What+is+it%3F`)
      await becomes(() => page.getByRole('textbox', { name: 'Question' }).inputValue(), 'What is it?')
      await page.waitForResponse('**/v1/usage')
      await page.unrouteAll()
    }
    expect(executor.calls).toHaveLength(0)
  })

  test('is asked with the effort that is chosen, by arrows too, and Shift and Enter begins a line', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const { page } = visited
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('What')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('is it?')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await becomes(() => page.getByRole('radio', { name: 'Deep' }).isChecked(), true)
    await page.getByRole('button', { name: 'Ask' }).click()
    await isAnswered(page)
    expect(executor.requests.map(({ query, effort }) => [query, effort])).toEqual([['What\nis it?', 'deep']])
  })

  test('shows what is done for it, and text while the rest is still to come', async () => {
    const more = Promise.withResolvers<void>()
    const reading = { type: 'reading', pages: 3, unread: [{ site: 'slow.example', code: 'timeout' }] } as const
    const written = Promise.withResolvers<void>()
    const read = { type: 'reading', pages: 3, read: 'https://site2.example/docs/page' } as const
    const before = [start, results, read, reading, () => written.promise]
    const script = [...before, ...answered.slice(2, 3), () => more.promise, ...answered.slice(3)]
    await using visited = await visit(scriptedExecutor(script as never))
    const { page } = visited
    await ask(page, 'What is it?')
    await becomes(() => page.locator('.scard .m:last-child').allTextContents(), ['Being read', 'Read', 'Being read'])
    written.resolve()
    await page.locator('.prose', { hasText: 'It is 🙂 so' }).waitFor()
    await becomes(() => page.locator('.steps .now b').allTextContents(), ['Writing the answer'])
    const steps = await page.locator('.steps').innerText()
    expect(steps).toContain('Searched the web: 3 results')
    expect(steps).toContain('Not read: slow.example (does not answer).')
    expect(await page.locator('.prose').getAttribute('aria-busy')).toBe('true')
    more.resolve()
    await isAnswered(page)
    expect(await page.locator('.prose').getAttribute('aria-busy')).toBe('false')
    await page.locator('.steps', { hasText: 'Wrote the answer' }).waitFor()
    await page.getByRole('button', { name: 'Steps' }).click()
    await page.locator('.steps').waitFor({ state: 'detached' })
  })

  test('ends at Stop and at Escape, also in the server, and its text stays', async () => {
    for (const stop of [
      (page: Page) => page.getByRole('button', { name: 'Stop' }).click(),
      (page: Page) => page.keyboard.press('Escape'),
    ]) {
      const ended = Promise.withResolvers<void>()
      const wait = (signal: AbortSignal) => untilAborted(signal).finally(() => ended.resolve())
      await using visited = await visit(scriptedExecutor([...answered.slice(0, 3), wait]))
      await ask(visited.page, 'What is it?')
      await visited.page.locator('.prose', { hasText: 'It is' }).waitFor()
      await stop(visited.page)
      await visited.page.getByRole('heading', { name: /^Stopped after [\d.]+ s$/ }).waitFor()
      await ended.promise
      expect(await visited.page.locator('.prose').textContent()).toContain('It is')
      await visited.page.getByRole('button', { name: 'Change the question' }).click()
      await becomes(() => visited.page.getByRole('textbox', { name: 'Question' }).inputValue(), 'What is it?')
    }
  })

  test('goes on with follow-ups, which have what was said before and are deep, and begins anew at N', async () => {
    const executor = scriptedExecutor(answered)
    await using visited = await visit(executor)
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await isAnswered(page)
    await page.keyboard.press('/')
    await page.keyboard.type('And why?')
    await page.keyboard.press('Enter')
    await isAnswered(page, 1)
    expect(await page.locator('.asked').allTextContents()).toEqual(['What is it?', 'And why?'])
    expect(executor.requests.map(({ query, history, effort }) => [query, history.length, effort])).toEqual([
      ['What is it?', 0, 'standard'],
      ['And why?', 2, 'deep'],
    ])
    await page.locator('.facts').first().click()
    await page.keyboard.press('n')
    await ask(page, 'What else?')
    await isAnswered(page)
    expect(executor.requests.at(-1)?.history).toEqual([])
    expect(complaints).toEqual([])
  })

  test('is asked again past the cache, whose answers say how old they are', async () => {
    const cached: SearchEvent = { type: 'cache', status: 'hit', ageSeconds: 125 }
    await using visited = await visit(scriptedExecutor([cached, ...answered]))
    const { page } = visited
    await ask(page, 'What is it?')
    await page.locator('.facts', { hasText: 'from the cache, 2 min old' }).waitFor()
    const request = page.waitForRequest('**/chat/completions')
    await page.getByRole('button', { name: 'Search again' }).click()
    expect((await request).headers()['cache-control']).toBe('no-cache')
    await isAnswered(page)
  })

  test('can be copied with its answer as Markdown', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page } = visited
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepSaying(page)
    await ask(page, 'What is it?')
    await isAnswered(page)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      '**What is it?**\n\nIt is 🙂 so [2].\n\n2. [Page 2](<https://site2.example/docs/page>)',
    )
  })
})

describe('a marker', () => {
  const markers = (page: Page) => page.locator('.prose a.cite')
  const said = [
    [0, 'Found on this page', 'Yes, one is so.'],
    [1, 'Not on the page: 42', ''],
    [3, 'Not found on the pages it cites', ''],
    [4, 'Partly found on source 2', ''],
    [5, 'Partly found on this page', 'Four is said.'],
    [6, 'Not compared: a page could not be read', 'About five.'],
    [7, 'Contradicted, as the judge says: is not', 'Seven is not.'],
  ] as const

  test('is marked where something is not on its page, and its card has the words of the page', async () => {
    await using visited = await visit(scriptedExecutor(checked))
    const { page, complaints } = visited
    await ask(page, 'What is it?')
    await isAnswered(page)
    const classes = await markers(page).evaluateAll((all) => all.map(({ className }) => className))
    expect(classes).toEqual([
      'cite',
      ...['partly', 'not', 'not', 'partly', 'partly', 'unread', 'not'].map((one) => `cite ${one}`),
    ])
    expect(await page.locator('.claim.partly').first().textContent()).toContain('Two')
    const strip = await page.locator('.strip').innerText()
    expect(strip).toMatch(/6 sentences\s+1 found\s+2 partly\s+2 not found\s+1 not read\s+Show 3 to check/)
    const card = page.getByRole('dialog')
    for (const [at, text, quote] of said) {
      await markers(page).nth(at).click()
      await card.waitFor()
      expect(await card.innerText()).toContain(text)
      expect(await card.locator('.unseen').allTextContents()).toEqual(
        at === 0 ? ['Words that no page has: rarely, always'] : [],
      )
      if (quote) expect(await card.locator('blockquote').textContent()).toBe(`“${quote}”`)
      expect(await markers(page).nth(at).getAttribute('aria-label')).toContain(text)
      expect(await card.getByRole('link', { name: 'Open page' }).getAttribute('href')).toStartWith('https://site')
      await page.keyboard.press('Escape')
      await card.waitFor({ state: 'detached' })
    }
    // By the mouse alone it goes when the mouse does.
    await markers(page).nth(0).hover()
    await card.waitFor()
    await page.mouse.move(5, 5)
    await card.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show 3 to check' }).click()
    await card.waitFor()
    expect(complaints).toEqual([])
  })

  test('opens a sheet over the follow-up of a telephone, and its sentence is in sight above', async () => {
    const filler = 'There is more to say of it. '.repeat(12)
    const long = [
      start,
      results,
      { type: 'text-delta', text: `${filler}\n\n${filler}\n\n${checkedText}` },
      { ...done, evidence: evidence.map(({ passage, ...one }) => (one.reason ? one : { ...one, passage })) },
    ]
    await using visited = await visit(scriptedExecutor(long as never))
    const { page } = visited
    await page.setViewportSize({ width: 390, height: 700 })
    await ask(page, 'What is it?')
    await isAnswered(page)
    await markers(page).nth(0).scrollIntoViewIfNeeded()
    await markers(page).nth(0).click()
    const card = page.getByRole('dialog')
    await card.waitFor()
    const sheet = await card.boundingBox()
    const marker = await markers(page).nth(0).boundingBox()
    expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBe(700)
    expect((marker?.y ?? 0) + (marker?.height ?? 0)).toBeLessThan(sheet?.y ?? 0)
    const dock = await page.locator('.dock .ask').boundingBox()
    const top = await page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.closest('.ecard') !== null, [
      (dock?.x ?? 0) + 20,
      (dock?.y ?? 0) + 20,
    ] as const)
    expect(top).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    // A long verdict leaves its buttons room.
    await page.keyboard.press('Escape')
    await markers(page).nth(6).click()
    await page.getByRole('dialog', { name: 'Source 3' }).waitFor()
    for (const control of [
      card.getByRole('button', { name: 'Close' }),
      card.getByRole('link', { name: 'Open page' }),
    ]) {
      const box = await control.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390 - 20)
      expect(box?.height).toBeGreaterThanOrEqual(44)
    }
  })

  test('is reached by Tab, opens by Enter and leads to its page', async () => {
    await using visited = await visit(scriptedExecutor(checked))
    const { page } = visited
    await ask(page, 'What is it?')
    await isAnswered(page)
    await page.getByRole('button', { name: 'Show 3 to check' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Source 1' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      'https://site1.example/docs/page',
    )
    await page.keyboard.press('Escape')
    await becomes(() => page.evaluate(() => document.activeElement?.className), 'cite')
  })
})

describe('what goes wrong', () => {
  const cases = [
    [new SearchError('busy', 'Queue full (3 running).', { retryAfterSeconds: 7 }), 'csp is busy', 'Ask again'],
    [new SearchError('rate-limited', 'The plan is used.', { retryAfterSeconds: 3000 }), 'A limit is reached', 'Ask at'],
    [new SearchError('timeout', 'No answer within 60 s.'), 'No answer in time', 'Try Fast'],
    [new SearchError('signed-out', 'Claude is signed out.'), 'Sign in to Claude to search', 'I use a token'],
    [new SearchError('unavailable', 'It is down.'), 'csp cannot search now', 'Show what is wrong'],
    [new SearchError('failed', 'It broke.'), 'The search failed', 'Ask again'],
    [new SearchError('invalid-request', 'Too odd.'), 'csp cannot ask this', 'Change the question'],
  ] as const

  test('is said in one sentence, with its cure as a button, before and during an answer', async () => {
    for (const [error, title, button] of cases)
      for (const before of [[], answered.slice(0, 3)]) {
        await using visited = await visit(scriptedExecutor([...before, error]))
        const { page, complaints } = visited
        await ask(page, 'What is it?')
        await notice(page, title).waitFor()
        expect(await notice(page, title).innerText()).toContain(error.message)
        // Once a reply has begun, it cannot say how long a limit lasts.
        const cure = button === 'Ask at' && before.length > 0 ? 'Ask again' : button
        await notice(page, title).getByRole('button', { name: cure }).waitFor()
        expect(complaints).toEqual([])
      }
  })

  test('is a faster answer after a slow one', async () => {
    let isSlow = true
    const executor = scriptedExecutor((() => (isSlow ? [cases[2][0]] : answered)) as never)
    await using visited = await visit(executor)
    const { page } = visited
    await ask(page, 'What is it?')
    await page.getByRole('button', { name: 'Try Fast' }).waitFor()
    isSlow = false
    await page.getByRole('button', { name: 'Try Fast' }).click()
    await isAnswered(page)
    expect(executor.requests.at(-1)?.effort).toBe('fast')
  })

  test('is said where the connection is lost, and where nothing is found', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    await visited.page.evaluate(() => {
      // One for each request: the page also asks for the state.
      const cut = () => new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })
      Object.assign(window, { fetch: async () => new Response(cut()) })
    })
    await ask(visited.page, 'What is it?')
    await visited.page.getByRole('heading', { name: /The connection was lost|csp does not answer/ }).waitFor()
    await using empty = await visit(scriptedExecutor([{ type: 'text-delta', text: 'I found nothing.' }, done]))
    await ask(empty.page, 'What is it?')
    await notice(empty.page, 'No page answers this').getByRole('button', { name: 'Try Deep' }).waitFor()
  })
})

for (const width of [320, 390, 1280]) {
  test(`has no fault that axe finds, fits and does not jump while it is written, at ${width} pixels`, async () => {
    const asked = Promise.withResolvers<Page>()
    /** The next piece comes once the page has drawn so many letters. */
    const drawn = (letters: number) => async () => {
      const isDrawn = (least: number) => (document.querySelector('.prose')?.textContent ?? '').length >= least
      await (await asked.promise).waitForFunction(isDrawn, letters)
    }
    const text = 'It is so, and has **long** been so. '.repeat(4)
    const script = [
      drawn(0),
      ...[start, results],
      ...[1, 2, 3, 4].flatMap((count) => [{ type: 'text-delta', text } as const, drawn(100 * count)]),
      {
        type: 'text-delta',
        text: '\n\n| a | b |\n|---|---|\n| one is so [1] | 2 |\n\n```ts\nlet long = "a line of code that is longer than a telephone is wide"\n```',
      },
      { ...done, evidence },
    ]
    await using visited = await visit(scriptedExecutor(script as never))
    const { page } = visited
    await page.setViewportSize({ width, height: 800 })
    await page.reload()
    await page.locator('.stateline', { hasText: 'Searches work' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.emulateMedia({ colorScheme: null })
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
    await page.locator('.steps .now').waitFor()
    // What moves in half a second is the effect of the key. A slow machine takes longer.
    await page.evaluate('new Promise((done) => setTimeout(done, 600))')
    const afterClick = await shift()
    asked.resolve(page)
    await isAnswered(page)
    await isCounted()
    expect(atFirst + (await shift()) - afterClick).toBeLessThan(0.05)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await faultsOf(page)).toEqual([])
  })
}
