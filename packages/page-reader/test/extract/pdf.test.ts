import { describe, expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import { extractPdf } from '../../src/extract/pdf.ts'
import { contentsOfBlocks } from '../../src/extract/pdf-blocks.ts'
import { packedPage, pdfOf, pdfPage } from './small-pdf.ts'

const extraction = (body: Uint8Array<ArrayBuffer>, isRough = false) => ({
  body,
  contentType: 'application/pdf',
  url: 'https://bees.example/paper.pdf',
  mainContentOnly: true,
  isRough,
})
const read = (body: Uint8Array<ArrayBuffer>) => extract(extraction(body))

const paper = pdfOf(
  [
    pdfPage(
      [9, 'Journal of Bees, page 1'],
      '',
      [24, 'On the humming of bees'],
      '',
      [16, 'Why they hum'],
      '',
      'Bees hum because their wings beat two hundred times a second, which moves the air, and bee-',
      'keepers hear from the tone of it whether a hive is calm. The tone is known to be about two hun\u00ad',
      'dred and fifty hertz, which is between the two keys of a piano that stand left of the middle.',
      [11, 'A second paragraph begins with an indented line, as it does in books and in many papers', 15],
      'that were set before there was a screen to read them on. This one goes on behind the page and',
    ),
    pdfPage(
      [9, 'Journal of Bees, page 2'],
      '',
      'ends there.',
      '',
      [16, 'What is left'],
      '',
      'Hive   Tone',
      'Left   250',
      'Right   240',
    ),
    pdfPage(
      [9, 'Journal of Bees, page 3'],
      '',
      'The last page of the paper says thanks to all of the bees that were asked.',
    ),
  ],
  {
    info: '/Title (Microsoft Word - bees.doc) /Author (Ann Bee) /ModDate (D:20260601080000Z) /CreationDate (D:20260504120000Z)',
  },
)

describe('the text of a PDF', () => {
  test('has paragraphs and headings, without hyphenation and running heads, across pages', async () => {
    const page = await read(paper)
    expect(page).toMatchObject({
      title: 'On the humming of bees',
      author: 'Ann Bee',
      publishedAt: '2026-05-04',
      modifiedAt: '2026-06-01',
    })
    expect(page.contents.markdown.split('\n\n')).toEqual([
      '# On the humming of bees',
      '## Why they hum',
      'Bees hum because their wings beat two hundred times a second, which moves the air, and beekeepers hear from the tone of it whether a hive is calm. The tone is known to be about two hundred and fifty hertz, which is between the two keys of a piano that stand left of the middle.',
      'A second paragraph begins with an indented line, as it does in books and in many papers that were set before there was a screen to read them on. This one goes on behind the page and ends there.',
      '## What is left',
      'Hive Tone\nLeft 250\nRight 240',
      'The last page of the paper says thanks to all of the bees that were asked.',
    ])
    expect(page.contents.text).not.toContain('#')
    expect(page.contents.html).toContain('<h2>What is left</h2>')
  })

  test('keeps headings at the top of its pages', async () => {
    const page = (number: number) =>
      pdfPage([16, `Chapter ${number}`], '', `Bee ${'abc'.charAt(number)} hums.`, '', `${number}`)
    const { contents } = await read(pdfOf([page(0), page(1), page(2)]))
    expect(contents.markdown.split('\n\n')).toEqual([
      ...['# Chapter 0', 'Bee a hums.', '# Chapter 1', 'Bee b hums.', '# Chapter 2', 'Bee c hums.'],
    ])
  })

  test('is cleaned and escaped', async () => {
    const { contents } = await read(pdfOf([pdfPage('Bees <script>hum()</script> & more')]))
    expect(contents.html).toBe('<p>Bees &lt;script&gt;hum()&lt;/script&gt; &amp; more</p>')
  })

  test('is read although the table of its objects points nowhere', async () => {
    const { contents } = await read(pdfOf([pdfPage('Bees hum.')], { isBroken: true }))
    expect(contents.text).toBe('Bees hum.')
  })

  test('is read although one of its pages is damaged', async () => {
    const { contents } = await read(pdfOf([pdfPage('First.'), Buffer.from('no stream'), pdfPage('Third.')]))
    expect(contents.text).toBe('First.\n\nThird.')
  })

  test.each([
    ['it needs a password', pdfOf([pdfPage('Bees hum.')], { isLocked: true }), 'unsupported-type', /needs a password/],
    ['it is damaged', Buffer.from('%PDF-1.4 bees'), 'unsupported-type', /Invalid or damaged/],
    ['its pages are pictures', pdfOf(['q 612 0 0 792 0 0 cm /I Do Q'], { pictureBytes: 500_000 }), 'empty', /no text/],
  ] as const)('is missing where %s', async (_, body, code, message) => {
    const error = await read(new Uint8Array(body)).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test.each([
    ['a'.repeat(600), 'b'.repeat(300), 500, 200],
    [' untitled ', 'Ann', 'Bees', 3],
    ['bees.pdf', '', 'Bees', undefined],
    ['On bees.pdf', '', 'On bees.pdf', undefined],
  ])('has the title %j and the author %j, within bounds', async (title, author, shown, length) => {
    const info = `/Title (${title}) /Author (${author}) /Keywords 7 /ModDate 7`
    const page = await read(pdfOf([pdfPage([24, 'Bees'], '', 'Bees hum.', 'They hum.', 'They hum.')], { info }))
    expect(typeof shown === 'number' ? page.title?.length : page.title).toBe(shown)
    expect(page.author?.length).toBe(length)
    expect(page.modifiedAt).toBeUndefined()
  })
})

describe('a long PDF', () => {
  test('is read as far as the time goes, and says so', async () => {
    const slow = packedPage('0 g ', 800_000)
    const pages = Array.from({ length: 300 }, (_, page) => [pdfPage(`${'-'.repeat(page % 50)} hums.`), slow])
    const { contents } = await extractPdf(pdfOf(pages.flat()), false, 500)
    expect(contents.text.slice(-80)).toMatch(/ first \d+ of 600 pages\. csp stopped reading there\.\]$/)
    expect(contents.text.slice(0, 20)).toContain('hums.')
  })

  test('is not read at all without time', async () => {
    const error = await extractPdf(pdfOf([pdfPage('Bees hum.')]), true, 0).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'timeout', message: 'The PDF takes too long to read.' })
  })
})

test.each([
  ['a word and', 'a word', 'a word and a word'],
  ['漢字と', '漢字', '漢字と漢字'],
  ['漢字、', 'かな', '漢字、かな'],
  ['漢字𠮷', '野家', '漢字𠮷野家'],
  ['吉野', '𠮷野', '吉野𠮷野'],
  ['漢字', 'Latin', '漢字 Latin'],
  ['Latin', '漢字', 'Latin 漢字'],
  ['a divi-', 'ded word', 'a divided word'],
  ['the North-', 'South line', 'the North- South line'],
])('the lines %j and %j of a PDF are one text', (first, second, text) => {
  const line = { size: 10, left: 0, right: 100 }
  const lines = [first, second].map((text, index) => ({ ...line, text, y: 500 - index * 12 }))
  expect(contentsOfBlocks(lines).contents.text).toBe(text)
})
