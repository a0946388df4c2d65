import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { articlePartOf, besideArticle } from '../../../src/extract/blocks/article-part.ts'
import { blocksOf } from '../../../src/extract/blocks/blocks.ts'
import { documentOf } from '../../../src/extract/document.ts'

const prose = 'Bees hum, they make honey, which is sweet, and they sleep in winter when nothing is in bloom.'

function placed(html: string) {
  const blocks = blocksOf(documentOf(html).body, new Map())
  const part = articlePartOf(blocks)
  return blocks.map((block) => ({ text: block.text, row: besideArticle(block, part, 1000) }))
}

test('paragraphs beside each other are the article, and as many that stand alone, or more that are links, are not', () => {
  const size = fc.integer({ min: 2, max: 8 })
  fc.assert(
    fc.property(size, size, fc.boolean(), (paragraphs, more, isFirst) => {
      const article = `<div><div>${`<p>IN ${prose}</p>`.repeat(paragraphs)}</div></div>`
      const links = `<div>${`<p><a href="/x">OUT ${prose}</a></p>`.repeat(paragraphs + more)}</div>`
      const cards = `<section>${`<div><p>OUT ${prose}</p></div>`.repeat(paragraphs)}</section>`
      for (const { text, row } of placed(`<body>${isFirst ? article : ''}${links}${cards}${isFirst ? '' : article}`)) {
        const [isInside, , , share = 0] = row
        expect([text.slice(0, 3), isInside]).toEqual(text.startsWith('IN') ? ['IN ', 1] : ['OUT', 0])
        expect(share).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: runs(100) },
  )
})

test('a page without paragraphs has no article', () => {
  for (const { row } of placed('<body><ul><li>One</li><li>Two</li></ul>')) expect(row).toEqual([-1, -1, -1, -1, 0])
})
