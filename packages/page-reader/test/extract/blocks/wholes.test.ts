import { describe, expect, test } from 'bun:test'
import { blocksOf } from '../../../src/extract/blocks/blocks.ts'
import { withWholes } from '../../../src/extract/blocks/wholes.ts'
import { documentOf } from '../../../src/extract/document.ts'
import type { PageKind } from '../../../src/page.ts'

/** The texts that a page of a kind keeps, where those that have `choose` in them are chosen. */
function kept(body: string, kind: PageKind): readonly string[] {
  const blocks = blocksOf(documentOf(`<html><body>${body}</body></html>`).body, new Map())
  const chosen = new Set(blocks.filter(({ text }) => text.includes('choose')))
  const all = withWholes(blocks, chosen, kind)
  return blocks.filter((block) => all.has(block)).map(({ text }) => text)
}

const table = '<table><tr><th>Release<th>Date<tr><td>4.2.3<td>April<tr><td>4.3<td>July</table>'
const cells = ['Release', 'Date', '4.2.3', 'April', '4.3', 'July']

describe('a table beside chosen text is kept', () => {
  test('in a quote, in a page that another table arranges', () => {
    const page = `<table><tr><td><div><p>choose before<blockquote>${table}</blockquote><p>choose behind</div></table>`
    expect(kept(page, 'article')).toEqual(['choose before', ...cells, 'choose behind'])
  })

  test('where its names lead elsewhere beside figures, and not where all of it does', () => {
    const rowOf = (name: string, figure: string) => `<tr><td><a href="/n">The company ${name}</a><td>${figure}`
    const linked = (figure: string) => `<p>choose before<table>${rowOf('One', figure)}${rowOf('Two', figure)}</table>`
    expect(kept(linked('$7.7B'), 'article')).toEqual([
      'choose before',
      'The company One',
      '$7.7B',
      'The company Two',
      '$7.7B',
    ])
    expect(kept(linked('<a href="/f">About it</a>'), 'article')).toEqual(['choose before'])
  })
})

describe('a heading is kept', () => {
  const linked = '<p>Main article: <a href="/1">The government of the whole country</a>'

  test.each(['article', 'documentation', 'listing', 'collection', 'service'] as const)(
    'above chosen text, and above what leads elsewhere before it, in a %s',
    (kind) => {
      const page = `<div><h2>History</h2><p>choose the first text<h2>Government</h2>${linked}<p>${'choose more '.repeat(9)}</div>`
      const [heading, text, government] = kept(page, kind)
      expect([heading, text, government]).toEqual(['History', 'choose the first text', 'Government'])
    },
  )

  test('with those above it', () => {
    const page = `<div><h2>Outer</h2><h3>Inner</h3>${linked}<p>${'choose more '.repeat(9)}</div>`
    expect(kept(page, 'article').slice(0, 2)).toEqual(['Outer', 'Inner'])
  })

  test('not where most of what is below it is none', () => {
    const page = `<div><p>choose this<h2>Related</h2>${linked.repeat(4)}<p>choose one</div>`
    expect(kept(page, 'article')).toEqual(['choose this', 'choose one'])
  })

  test('not where it has nothing below it but another of its level', () => {
    const page = `<div><h2>Banner</h2><h2>History</h2><p>${'choose more '.repeat(9)}</div>`
    expect(kept(page, 'article')[0]).toBe('History')
  })

  test('not where chosen text is below the next heading of its level alone', () => {
    const page = `<div><h2>Contents</h2>${linked}<h2>History</h2><p>${'choose more '.repeat(9)}</div>`
    expect(kept(page, 'article')[0]).toBe('History')
  })
})
