import { describe, expect, test } from 'bun:test'
import { structureCases } from '@csp/testing/structure/grids'
import { scoreOf } from '@csp/testing/structure/score'
import { structureOf } from '@csp/testing/structure/structure'
import { extractHtml } from '../../src/extract/html.ts'

const bySet = Map.groupBy(structureCases(), ({ set }) => set)

/** The page of a gist names the language of its code in no way. */
const unnamed = ({ name }: { readonly name: string }, part: string) => name === 'code-gist' && part === 'code language'

describe.each([...bySet])('of pages with %s', (_, cases) => {
  test('a reader of the Markdown sees what a reader of the page does', () => {
    const lost = cases.flatMap((each) => {
      const { name, html, url, expect: expected } = each
      const { contents, author } = extractHtml(html, url, true)
      const score = scoreOf(expected, structureOf(contents.markdown), author)
      const misses = Object.entries(score).filter(([part, [hits, of]]) => !unnamed(each, part) && hits < of)
      return misses.map(([part, [hits, of]]) => `${name}: ${part} ${hits}/${of}`)
    })
    expect(lost).toEqual([])
  })
})

test.each([
  ['a pre', (code: string) => `<pre>${code}</pre>`],
  ['a pre in an item', (code: string) => `<ul><li>An item:<pre>${code}</pre></ul>`],
])('code keeps its empty lines in %s, and text behind it has one at most', (_, wrap) => {
  const code = 'def a():\n    pass\n\n\n\ndef b():\n    pass'
  const prose = '<p>Words of prose that are long enough to be taken for what the page says.</p>'
  const html = `<html><body><main><h1>Code</h1>${prose}${wrap(code)}<br><br><br>${prose}</main></body></html>`
  const { markdown } = extractHtml(html, 'https://example.com/', true).contents
  expect(structureOf(markdown).fences.map((fence) => fence.code)).toEqual([code])
  expect(markdown.slice(markdown.lastIndexOf('```'))).not.toContain('\n\n\n')
})
