import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatSources } from '../../../src/runtime/cli/source-formats.ts'
import { runs } from '../../support/runs.ts'

test('no cell of the lines of columns begins as a formula', () => {
  const begins = fc.constantFrom('=', '+', '-', '@', ' =', '\t+', '＝', '－', '＠', '＋')
  const text = fc.tuple(begins, fc.string()).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (title, snippet) => {
      const [line] = formatSources([{ number: 1, url: 'https://a.example/', title, snippet }], 'tsv').split('\n')
      const cells = line?.split('\t') ?? []
      expect(cells.length).toBe(4)
      for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+@＝＋－＠-]/)
    }),
    { numRuns: runs(200) },
  )
  const plain = { number: 1, url: 'https://a.example/', title: 'a = b', snippet: 'Five - or six' }
  expect(formatSources([plain], 'tsv')).toBe('https://a.example/\ta = b\t\tFive - or six\n')
})
