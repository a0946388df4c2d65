import { describe, expect, test } from 'bun:test'
import { structureCases } from '@csp/testing/structure/grids'
import { scoreOf } from '@csp/testing/structure/score'
import { structureOf } from '@csp/testing/structure/structure'
import { extractHtml } from '../../src/extract/html.ts'

const bySet = Map.groupBy(structureCases(), ({ set }) => set)

/** Languages that the page names in no way, or in one that says nothing to a reader. */
const unnamed = 'code language'

describe.each([...bySet])('of pages with %s', (_, cases) => {
  test('a reader of the Markdown sees what a reader of the page does', () => {
    const lost = cases.flatMap(({ name, html, url, expect: expected }) => {
      const { contents, author } = extractHtml(html, url, true)
      const score = scoreOf(expected, structureOf(contents.markdown), author)
      const misses = Object.entries(score).filter(([part, [hits, of]]) => part !== unnamed && hits < of)
      return misses.map(([part, [hits, of]]) => `${name}: ${part} ${hits}/${of}`)
    })
    expect(lost).toEqual([])
  })
})
