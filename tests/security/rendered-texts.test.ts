import { afterAll, beforeAll, expect } from 'bun:test'
import { guardedText } from '@csp/grounding/answer-guard'
import { Grounding } from '@csp/grounding/grounding'
import { hostileText } from '@csp/testing/hostile-addresses'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { testNeeding } from '../support/needs.ts'
import { canRender, openRenderingBrowser } from './rendering/browser.ts'

// The judge of what an address is: a browser that renders texts as clients do, with marked, markdown-it, KaTeX, MathJax and
// Mermaid. What csp lets out makes it load and link nothing.

let browser: Awaited<ReturnType<typeof openRenderingBrowser>> | undefined
beforeAll(async () => {
  if (canRender) browser = await openRenderingBrowser()
})
afterAll(() => browser?.[Symbol.asyncDispose]())

const needing = testNeeding('chromium, mermaid and MathJax', canRender)
const atOnce = 25

/** The texts in which the browser finds something live, each with what that is. `nameOf`: what its addresses hold. */
async function liveTexts(texts: readonly string[], nameOf: (at: number) => string): Promise<readonly string[][]> {
  const found: string[][] = []
  for (let from = 0; from < texts.length; from += atOnce) {
    const { live = [], requests = [] } = (await browser?.render(texts.slice(from, from + atOnce))) ?? {}
    for (const [at, links] of live.entries()) {
      const text = texts[from + at] ?? ''
      const loaded = requests.filter((url) => url.includes(nameOf(from + at)))
      const all = [...links.filter((link) => !isPlain(link)), ...loaded]
      if (all.length > 0) found.push([text, ...new Set(all)])
    }
  }
  return found
}

/** Whether it leads to no more than a name or mail address that it shows, or to no host. */
function isPlain(link: string): boolean {
  const [name, url = '', shown = ''] = link.split(' ')
  if (/^\w+:\/\/[^\p{L}\p{N}]*$/u.test(url)) return true
  if (name !== 'href') return false
  if (url.startsWith('mailto:')) return /^(?:mailto:)?[^\s:]+@[^\s/?#:]+$/.test(shown)
  return /^http:\/\/[^/?#]*\/?$/.test(url) && /^[^\s/?#:]*\.[^\s/?#:]+(?::\d+)?[/?]?$/.test(shown)
}

function grounded(text: string): string {
  const grounding = new Grounding()
  grounding.addSources([{ url: 'https://www.example.com/a/', title: 'First page' }])
  const parts = [...grounding.push(text), ...grounding.end()]
  return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
}

const names = Array.from({ length: runs(4000) }, (_, at) => `e${at}x`)
const sampleOf = (seed: number) =>
  names.flatMap((name, at) => fc.sample(hostileText(name), { numRuns: 1, seed: seed + at }))
const nameOf = (at: number) => `${names[at] ?? ''}.`

needing('the browser finds what is live in texts that csp has not guarded', async () => {
  const texts = sampleOf(1).slice(0, 100)
  expect((await liveTexts(texts, nameOf)).length).toBeGreaterThan(15)
})

needing('it finds nothing in any that csp lets out, as an answer or as a part of one', async () => {
  const seed = Math.floor(Math.random() * 1e9)
  const texts = sampleOf(seed)
  expect(await liveTexts(texts.map(guardedText), nameOf), `seed ${seed}`).toEqual([])
  expect(await liveTexts(texts.map(grounded), nameOf), `seed ${seed}`).toEqual([])
})

needing('nor in what models have been made to write', async () => {
  const texts = Object.values(hostileMarkdown).map(guardedText)
  expect(await liveTexts(texts, () => 'evil')).toEqual([])
})
