import { describe, expect, test } from 'bun:test'
import type { PDFPageProxy } from 'unpdf/pdfjs'
import { contentsOfBlocks, withoutRunningHeads } from '../../src/extract/pdf-blocks.ts'
import { linesOn, type PdfLine } from '../../src/extract/pdf-lines.ts'

const line = (text: string, y: number, parts: Partial<PdfLine> = {}): PdfLine => ({
  ...{ text, y, size: 10, left: 50, right: 350 },
  ...parts,
})
const long = 'Bees hum, since their wings beat two hundred times a second.'

describe('running heads', () => {
  const textsOf = (pages: readonly (readonly PdfLine[])[]) => withoutRunningHeads(pages).map(({ text }) => text)
  const page = (...heads: readonly PdfLine[]) => [...heads, line(long, 500), line(long, 490), line(long, 480)]
  const kept = (pages: readonly (readonly PdfLine[])[]) => textsOf(pages).filter((text) => text !== long)

  test('stand at the top or the bottom of three pages at least, and of four in ten', () => {
    const heads = (count: number, of: number) =>
      Array.from({ length: of }, (_, at) =>
        page(...(at < count ? [line(`Journal ${at}`, 700), line(`page ${at}`, 100)] : [])),
      )
    expect(kept(heads(3, 3))).toEqual([])
    expect(kept(heads(2, 2))).toHaveLength(4)
    expect([kept(heads(3, 7)).length, kept(heads(3, 8)).length]).toEqual([0, 6])
    expect([kept(heads(4, 10)).length, kept(heads(3, 10)).length]).toEqual([0, 6])
    expect(textsOf(heads(3, 3))).toHaveLength(9)
  })

  test('are in small print, within half of their size from the edge', () => {
    const three = (...own: readonly PdfLine[]) => kept([page(...own), page(...own), page(...own)])
    expect(three(line('Head', 700, { size: 11.4 }))).toEqual([])
    expect(three(line('Head', 700, { size: 11.5 }))).toHaveLength(3)
    expect(three(line('First', 700), line('Second', 695.1))).toEqual([])
    expect(three(line('First', 700), line('Second', 695))).toEqual(['Second', 'Second', 'Second'])
    expect(three(line('Last', 100), line('Above', 104.9))).toEqual([])
    expect(three(line('Last', 100), line('Above', 105))).toEqual(['Above', 'Above', 'Above'])
  })

  test('may be said in the middle of a page, where they stay', () => {
    const own = [line('Head', 700), line('Head', 600)]
    expect(kept([page(...own), page(...own), page(...own)])).toEqual(['Head', 'Head', 'Head'])
  })
})

describe('the blocks of a PDF', () => {
  const blocksOf = (...lines: readonly PdfLine[]) => contentsOfBlocks(lines).contents.markdown.split('\n\n')
  const second = (text: string, gap: number, parts: Partial<PdfLine> = {}) =>
    blocksOf(line('Bees hum and', 500), line(text, 500 - gap, parts)).length

  test.each([
    ['on the next line', 'Make honey', 12, {}, 1],
    ['as far below as lines of one paragraph are', 'Make honey', 17, {}, 1],
    ['further below', 'Make honey', 17.1, {}, 2],
    ['of nearly the same size', 'Make honey', 12, { size: 11 }, 1],
    ['of another size', 'Make honey', 12, { size: 11.1 }, 2],
    ['that is an item', '• Make honey', 12, {}, 2],
    ['that is a reference', '[12] Make honey', 12, {}, 2],
    ['in the next column, within a sentence', 'make honey', 0, {}, 1],
    ['in the next column, with a sentence', 'Make honey', 0, {}, 2],
    ['on the next page, within a sentence', 'make honey', 40.1, {}, 1],
    ['far below on the same page', 'make honey', 40, {}, 2],
  ])('a line %s goes on with a paragraph or begins one', (_, text, gap, parts, count) => {
    expect(second(text, gap, parts)).toBe(count)
  })

  test.each([
    [59, 'Bees hum.', 2],
    [59, 'They ask “why?”', 2],
    [59, 'Bees hum', 1],
    [58, 'Bees hum.', 1],
    [109, 'Bees hum.', 2],
    [110, 'Bees hum.', 1],
  ])('a line that begins at %d behind one at 50, which is %j, makes %d paragraphs', (left, text, count) => {
    expect(blocksOf(line(text, 500), line('They make honey.', 488, { left }))).toHaveLength(count)
  })

  test('behind the end of a sentence a new column begins a paragraph', () => {
    expect(blocksOf(line('Bees hum.', 500), line('make honey', 700))).toEqual(['Bees hum.', 'make honey'])
  })

  test('lines that end early stay lines', () => {
    const text = (right: number) =>
      blocksOf(
        line('Hive', 500, { right }),
        line('Tone', 488),
        line(long, 476),
        line(long, 464),
        line(long, 452),
      )[0]?.split('\n')[0]
    expect(text(229)).toBe('Hive')
    expect(text(230)).toStartWith('Hive Tone')
  })

  test('the width of a column is that of four of five lines', () => {
    const isTable = (...rights: readonly number[]) => {
      const wide = rights.map((right, at) => line(long, 700 - at * 12, { right }))
      const rows = ['Hive', 'Tone'].map((text, at) => line(text, 500 - at * 12, { right: 100 }))
      return blocksOf(...wide, ...rows).at(-1) === 'Hive\nTone'
    }
    expect([isTable(350, 350), isTable(100, 100)]).toEqual([true, false])
  })

  test('larger lines are headings, of a level by their size, three lines and 200 letters at most', () => {
    const body = [line(long, 100), line(long, 88), line(long, 76), line(long, 64), line(long, 52)]
    const headed = (...lines: readonly PdfLine[]) => contentsOfBlocks([...lines, ...body])
    const levels = (...sizes: readonly number[]) =>
      headed(...sizes.map((size, at) => line(`Size ${at}`, 700 - at * 60, { size })))
        .contents.markdown.split('\n\n')
        .slice(0, -1)
    expect(levels(11.5, 11)).toEqual(['# Size 0', 'Size 1'])
    expect(levels(12, 30, 24, 20, 18, 16, 14)).toEqual([
      '###### Size 0',
      '# Size 1',
      '## Size 2',
      '### Size 3',
      '#### Size 4',
      '##### Size 5',
      '###### Size 6',
    ])
    expect(headed(line('Small', 700, { size: 14 }), line('Large', 600, { size: 20 })).heading).toBe('Large')
    const tall = (count: number) =>
      headed(...Array.from({ length: count }, (_, at) => line('Bees', 700 - at * 20, { size: 16 }))).heading
    expect([tall(3), tall(4)]).toEqual(['Bees Bees Bees', undefined])
    const wide = (length: number) => headed(line('b'.repeat(length), 700, { size: 16 })).heading?.length
    expect([wide(200), wide(201)]).toEqual([200, undefined])
    // Of two sizes that are as frequent the first is that of the text.
    expect(contentsOfBlocks([line('Bees', 500, { size: 16 }), line('hums', 400)]).heading).toBeUndefined()
    expect(headed(line('1 2 3', 700, { size: 16 })).heading).toBeUndefined()
    expect(headed(line('Why & how', 700, { size: 16 })).contents.html).toStartWith(
      '<h1>Why &amp; how</h1>\n\n<p>Bees hum',
    )
  })
})

test('the lines of a page have the size and place of their longest piece, and no stamps', async () => {
  const item = (
    str: string,
    [a = 10, b = 0, c = 0, d = 10, x = 50, y = 500]: readonly number[] = [],
    hasEOL = false,
    width = 20,
  ) => ({
    ...{ str, transform: [a, b, c, d, x, y], width, hasEOL },
  })
  const linesOf = async (rotate: number, ...items: readonly object[]) =>
    (await linesOn({ rotate, getTextContent: async () => ({ items }) } as unknown as PDFPageProxy)).map(
      ({ text, size, left, right, y }) => [text, size, left, right, y],
    )
  expect(
    await linesOf(
      0,
      item('* ', [5, 0, 0, 5, 40, 503]),
      item('Bees', [8, 0, 6, 8, 50, 500]),
      item(' ', [], false, 900),
      item('hums', [9, 0, 0, 9, 70, 501], true, 30),
      { type: 'beginMarkedContent' },
      item('  ', [], true),
      item('of 2026 ', [0, 9, -9, 0, 10, 300]),
      item(' askew ', [9, 9, 0, 9]),
    ),
  ).toEqual([
    ['* Bees hums', 10, 40, 100, 500],
    ['askew', 9, 50, 70, 500],
  ])
  // A page that is turned as a whole has all of its lines so.
  expect(await linesOf(90, item('turned', [0, 9, -9, 0, 10, 300]))).toEqual([['turned', 9, 10, 30, 300]])
})
