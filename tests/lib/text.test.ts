import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { oneLine, withoutMarkup } from '../../src/lib/text.ts'
import { runs } from '../support/runs.ts'

test('a text without its markup is one line, with no space around it', () => {
  const words = fc.array(fc.constantFrom(' ', '\n', '\t', 'bees', 'and', '[a](https://a.example/)', '**', '&amp;'))
  fc.assert(
    fc.property(words, (parts) => {
      const text = withoutMarkup(parts.join(''))
      expect(text).toBe(oneLine(text))
      expect(text).not.toContain('https:')
    }),
    { numRuns: runs(200), examples: [[[' ', 'bees', ' ']], [['\n', '**', 'bees', '**', '\n']]] },
  )
})
