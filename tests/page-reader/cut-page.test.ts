import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutting } from '../../src/page-reader/cut-page.ts'
import type { WholePage } from '../../src/page-reader/whole-page.ts'
import { runs } from '../support/runs.ts'

const context = { signal: new AbortController().signal }

function readerOf(text: string, contentType: string) {
  const page: WholePage = {
    finalUrl: 'https://lamps.example/x.ts',
    status: 200,
    contentType,
    contents: { markdown: text, text, html: `<pre>${text}</pre>` },
    links: [],
  }
  return cutting({ read: async () => page, close: async () => {} })
}

describe('a file whose address names a line', () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1};`).join('\n')
  const read = (hash: string, parts: object, type = 'text/plain') =>
    readerOf(text, type).read({ url: `https://lamps.example/x.ts${hash}`, ...parts }, context)

  test.each(['#L12', '#L12-L14', '#L12C3-L14C1', '#L12-14'])('begins there when it does not fit: %s', async (hash) => {
    const page = await read(hash, { maxCharacters: 40 })
    expect(page.content).toStartWith('line 12;\nline 13;')
    expect(page.offset).toBe(text.indexOf('line 12;'))
    expect(page.remaining).toBe(text.length - page.offset - page.content.length)
    expect(page.url).toEndWith(hash)
  })

  test.each([
    ['fits', '#L12', {}, 'text/plain'],
    ['is asked for from a place', '#L12', { offset: 0, maxCharacters: 40 }, 'text/plain'],
    ['has fewer lines', '#L41', { maxCharacters: 40 }, 'text/plain'],
    ['has no line 0', '#L0', { maxCharacters: 40 }, 'text/plain'],
    ['has a part of that name', '#L12x', { maxCharacters: 40 }, 'text/plain'],
    ['is a page', '#L12', { maxCharacters: 40 }, 'text/html'],
  ])('begins with its first when it %s', async (_, hash, parts, type) => {
    const page = await read(hash, parts, type)
    expect(page).toMatchObject({ offset: 0, content: expect.stringMatching(/^line 1;/) })
  })

  test('is found by the lines that an editor counts', async () => {
    const lines = fc.array(
      fc.string({ maxLength: 8 }).map((line) => line.replaceAll('\n', '')),
      { minLength: 2, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), async (all, choice) => {
        const whole = all.join('\n')
        fc.pre(whole.length > 1)
        const index = choice % all.length
        const reader = readerOf(whole, 'text/plain')
        const page = await reader.read({ url: `https://x.example/#L${index + 1}`, maxCharacters: 1 }, context)
        expect(page.offset).toBe(all.slice(0, index).join('\n').length + (index > 0 ? 1 : 0))
      }),
      { numRuns: runs(200) },
    )
  })
})
