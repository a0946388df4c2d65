import { withoutMarkup } from '@csp/lib/text'
import { cleanedText } from './cleaned.ts'
import type { Passage } from './evidence.ts'
import { hasRow } from './quotes.ts'
import { scan } from './scan.ts'

/**
 * Returns a function that checks if a text still has a passage of an earlier one: the words of each line in a row. Layout,
 * headings, links and emphasis do not count. `earlier` is the text from which the passage was taken, so that its lines are
 * compared; without it the passage alone is.
 */
export function passageFinder(text: string): (passage: Passage, earlier?: string) => boolean {
  const page = wordsOf(text)
  return (passage, earlier = passage.text) => {
    // It may end within a word.
    const words = wordsOf(passage.text).slice(0, -1)
    const from = earlier === passage.text ? 0 : passage.place
    const lines = earlier.slice(from, from + maxPassage).split('\n')
    const rows = lines.map((line) => ({ line, row: words.splice(0, wordsOf(line).length) }))
    return [...rows, { line: '', row: words }].every(({ line, row }) => line.startsWith('#') || hasRow(page, row))
  }
}

function wordsOf(text: string): string[] {
  return [...scan(cleanedText(withoutMarkup(text)).text).words]
}

const maxPassage = 1000
