import { describe, expect } from 'bun:test'
import { join } from 'node:path'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { nestedMarkdown } from '@csp/testing/nested-markdown'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { createPage } from '../../src/web-ui/page.tsx'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'
import { withBrowser } from './visit.ts'

// The text of an answer is foreign: a model wrote it, which pages may have talked into anything. Under the page's own policy.

const { test, visit } = withBrowser()

async function withHarness() {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'harness/prose.ts')],
    target: 'browser',
  })
  const script = { type: 'text/javascript; charset=utf-8', body: (await outputs[0]?.text()) ?? '' }
  const page = createPage(60)
  const visited = await visit(scriptedExecutor(answered), {
    page: async () => ({ ...page, files: { ...page.files, 'harness.js': script } }),
  })
  const tab: Page = visited.page
  await tab.addScriptTag({ url: 'page/harness.js', type: 'module' })
  await tab.waitForFunction('"draw" in window')
  const asked: string[] = []
  tab.on('request', (request) => {
    if (!/\/(health|v1\/[a-z]+)(\?.*)?$/.test(request.url())) asked.push(request.url())
  })
  return { visited, tab, asked }
}

interface Drawn {
  readonly found: readonly string[]
  /** How many elements. */
  readonly drawn: number
}

const draw = (tab: Page, texts: readonly string[]) => tab.evaluate<Drawn>(`draw(${JSON.stringify(texts)})`)

describe('hostile Markdown', () => {
  test('makes no element, attribute, address or request of its own, whole or while it is written', async () => {
    const { visited, tab, asked } = await withHarness()
    await using _ = visited
    const written = Object.values(hostileMarkdown)
    const nested = fc.sample(nestedMarkdown, { numRuns: runs(2000), seed: 61 })
    const guarded = [...written, ...written.map((text) => `See [1].\n\n${text}\n\n- ${text}\n\n> ${text}`), ...nested]
    const { found, drawn } = await draw(tab, guarded)
    expect(found).toEqual([])
    expect(drawn).toBeGreaterThan(guarded.length)
    expect(asked).toEqual([])
    // What the test sees where nothing is guarded: the policy of the page alone holds back what it asks for.
    const bare = await tab.evaluate<readonly string[]>(`drawAsHtml(${JSON.stringify(written)})`)
    expect(bare.length).toBeGreaterThan(50)
  })

  test('is drawn in bounded time, however long and deep it is', async () => {
    const { visited, tab } = await withHarness()
    await using _ = visited
    const odd = [
      '>',
      '- ',
      '*',
      '**a ',
      '_a',
      '`',
      '[',
      '![',
      '[1]',
      '[a](',
      '<',
      '|',
      '| a ',
      '~~',
      '\\',
      '&',
      '#',
      '1. ',
      '\n',
      '\n> - ',
    ]
    const texts = odd.flatMap((piece) => [
      piece.repeat(3000),
      `${piece.repeat(30_000)} end`,
      `a ${piece}\n`.repeat(3000),
    ])
    const { found } = await draw(tab, texts)
    expect(found).toEqual([])
    // All that is left is text, to the last letter, however many marks there are.
    for (const piece of ['So it is [1].\n\n', '[1]', '- a\n', 'It is `a`. ']) {
      await draw(tab, [`${piece.repeat(90_000 / piece.length)}\n\nThe end`])
      expect(await tab.locator('.prose *').count()).toBeLessThan(10_000)
      expect(await tab.locator('.prose').innerText()).toEndWith('The end')
    }
    // It still draws.
    await draw(tab, ['It is **so** [1].'])
    expect(await tab.evaluate('html()')).toContain('<strong>so</strong>')
  })
})

test('headings, lists, tables, code, quotes and bold words are drawn as such, and only a source is linked', async () => {
  const { visited, tab } = await withHarness()
  await using _ = visited
  const text = [
    '## So *it* is',
    'Bold **words**, ~~old ones~~, `code <b>` &amp; [a page](https://one.example/a), [another](https://two.example/).',
    '- one [1]\n- two\n  1. deep',
    '| a | b |\n|---|--:|\n| x | 1 |',
    '```ts\nlet a = 1 // <b>\n```',
    '> quoted',
    '![picture](https://one.example/a)',
  ].join('\n\n')
  await draw(tab, [text])
  const prose = tab.locator('.prose').last()
  expect(await prose.locator('h3 em').textContent()).toBe('it')
  expect(await prose.locator('strong').allTextContents()).toEqual(['words'])
  expect(await prose.locator('p code').textContent()).toBe('code <b>')
  expect(await prose.locator('li ol li').textContent()).toBe('deep')
  expect(await prose.locator('td.r').textContent()).toBe('1')
  expect(await prose.locator('pre').textContent()).toBe('let a = 1 // <b>')
  expect(await prose.locator('blockquote').textContent()).toBe('quoted')
  const links = prose.locator('a')
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    'https://one.example/a',
    'https://one.example/a',
  ])
  expect(await prose.textContent()).toContain('[another](https://two.example/)')
  expect(await prose.textContent()).toContain('![picture](https://one.example/a)')
})
