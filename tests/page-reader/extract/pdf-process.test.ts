import { expect, test } from 'bun:test'
import { Extractor } from '@csp/page-reader/extract/pool'
import { longestTurn } from '@csp/testing/longest-turn'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { packedPage, pdfOf, pdfPage } from '../../../packages/page-reader/test/extract/small-pdf.ts'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'

const never = new AbortController().signal
const extraction = (body: Uint8Array<ArrayBuffer>) => ({
  ...{ body, contentType: 'application/pdf', url: 'https://bees.example/paper.pdf', mainContentOnly: true },
})

test('a PDF of 500 pages and 10 MB is read, or as much of it as a busy machine has time for', async () => {
  const pages = Array.from({ length: 500 }, (_, page) =>
    pdfPage(
      `${String.fromCharCode(97 + (page % 26))}${page} begins.`,
      ...Array.from({ length: 40 }, () => 'Words of a line as long as others.'),
      'Last.',
    ),
  )
  const body = pdfOf(pages, { pictureBytes: 7_500_000 })
  expect(body.length).toBeWithin(9_000_000, 10_000_000)
  const extractor = new Extractor({ openReader: openPageReader })
  const texts: string[] = []
  try {
    const reading = async () => texts.push((await extractor.extract(extraction(body), never)).contents.text)
    expect(await longestTurn(reading, 500)).toBeLessThan(500)
    const count = texts[0]?.match(/begins\./g)?.length ?? 0
    expect(count).toBeWithin(1, 501)
    expect(count === 500).toBe(!texts[0]?.endsWith(`first ${count} of 500 pages. csp stopped reading there.]`))
  } finally {
    extractor.close()
  }
})

test('a PDF that unpacks to a gigabyte takes its process and nothing else, while other pages are read', async () => {
  const extractor = new Extractor({ openReader: openPageReader })
  try {
    const bomb = extraction(pdfOf([pdfPage('Bees.'), packedPage(' ', 1e9)]))
    const failures = [1, 2].map(() => failureOf(extractor.extract(bomb, never)))
    const html = { ...extraction(new Uint8Array(Buffer.from('<p>Bees hum.'))), contentType: 'text/html' }
    expect((await extractor.extract(html, never)).contents.text).toBe('Bees hum.')
    for (const failure of await Promise.all(failures)) expect(['too-large', 'timeout']).toContain(failure)
    expect((await extractor.extract(html, never)).contents.text).toBe('Bees hum.')
  } finally {
    extractor.close()
  }
})
