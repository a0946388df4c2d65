import { expect, test } from 'bun:test'
import { signsOf } from '../../../src/extract/blocks/signs.ts'
import { documentOf } from '../../../src/extract/document.ts'

const signs = (head: string, body = '', around = '') =>
  signsOf(documentOf(`<html ${around}><head>${head}</head><body ${around}>${body}</body></html>`), 'https://a.example/')
const typesOf = (...values: readonly unknown[]) =>
  signs(values.map((value) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`).join('')).types

test('the types of a page are those of its JSON-LD, however deep, and of its microdata', () => {
  const deep = {
    '@type': ['Article', 7, 'schema:Report'],
    author: { '@type': 'https://schema.org/Person' },
    about: null,
    name: 'x',
  }
  expect(typesOf({ '@graph': [deep] }, [null, 'x', 5, { '@type': 'Offer' }])).toEqual([
    'Offer',
    'Article',
    'Report',
    'Person',
  ])
  expect(signs('', '<div itemtype="https://schema.org/Book"></div><div itemtype></div>').types).toEqual(['Book', ''])
  expect(typesOf(...Array.from({ length: 20 }, () => ({ '@type': 'A' })), { '@type': 'B' })).toEqual(
    Array(20).fill('A'),
  )
})

test('the types of a page are counted within bounds', () => {
  const things = (count: number, type: string) => Array.from({ length: count }, () => ({ '@type': type }))
  // Of a list and of an object, the first 200.
  expect(typesOf([...things(199, 'A'), ...things(2, 'B')]).filter((type) => type === 'B')).toHaveLength(1)
  const object = (count: number) =>
    Object.fromEntries([...things(count, 'A'), { '@type': 'B' }].map((thing, at) => [`k${at}`, thing]))
  expect([object(199), object(200)].map((value) => typesOf(value).includes('B'))).toEqual([true, false])
  // 200 in all, of which the last list may have more.
  const ten = { '@type': Array.from({ length: 10 }, () => 'A') }
  expect(typesOf(Array.from({ length: 30 }, () => ten))).toHaveLength(200)
  const micro = (count: number) =>
    signs(
      `<script type="application/ld+json">${JSON.stringify(things(count, 'A'))}</script>`,
      '<i itemtype="B"></i>'.repeat(3),
    ).types.length
  expect([micro(198), micro(200)]).toEqual([200, 200])
  // 5000 values, the last one first.
  const nested = (values: number) => {
    const lists = Array.from({ length: 24 }, () => Array.from({ length: 200 }, () => 0))
    return typesOf([{ '@type': 'B' }, Array.from({ length: values }, () => 0), ...lists])
  }
  expect([nested(5000 - 1 - 24 * 201 - 1 - 1), nested(5000 - 1 - 24 * 201 - 1)]).toEqual([['B'], []])
  const long = 'x'.repeat(198)
  expect(typesOf({ '@type': `${long}AB` }, { '@type': `${long}ABC` })).toEqual([`${long}AB`, `${long}AB`])
  expect(signs('', `<i itemtype="${long}AB"></i><i itemtype="${long}A/B"></i>`).types).toEqual([`${long}AB`, ''])
})

test('what a page says is cut where it is long, and the first of each counts', () => {
  const text = 'a'.repeat(300)
  const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`
  const said = signs(
    `<title>${text}b</title>${meta('description', `${text}b`)}${meta('description', 'x')}${meta('og:type', 'Article')}${meta('generator', 'G')}<meta property="generator"><meta name="author">`,
    '',
    `class="${'c'.repeat(498)}" id="d"`,
  )
  const names = `${'c'.repeat(498)} d`
  expect(said).toMatchObject({
    title: text,
    description: text,
    openGraph: 'article',
    generator: 'G',
    hasAuthor: false,
    hasDate: false,
  })
  expect(said.bodyNames).toBe(`${names} ${names}`.slice(0, 1000))
  expect(signs('', '', 'id="top"').bodyNames).toBe(' top  top')
  expect(
    signs(meta('article:author', 'A') + meta('article:published_time', '2026') + meta('og:url', 'https://b.example/')),
  ).toMatchObject({
    ...{ hasAuthor: true, hasDate: true, url: 'https://b.example/', description: '', openGraph: '' },
  })
  expect(signs(meta('author', 'A') + meta('og:description', 'D'))).toMatchObject({
    hasAuthor: true,
    description: 'D',
    url: 'https://a.example/',
  })
})

test('links, pictures, fields and times are counted', () => {
  const body = '<a></a><a></a><img><input><textarea></textarea><select></select><time></time><time></time><time></time>'
  expect(signs('', body)).toMatchObject({ links: 2, pictures: 1, fields: 3, times: 3 })
  expect(signs('')).toMatchObject({ links: 0, pictures: 0, fields: 0, times: 0 })
})
