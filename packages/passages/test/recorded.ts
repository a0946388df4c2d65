import { pairPages } from '@csp/testing/pair-pages'
import { choosePassages } from '../src/passages.ts'

/** What is shown of each page for some of the sentences about it, in passages of the usual and of a short length: two lines. */
export function* record(): Generator<string> {
  for (const { page, right } of Object.values(pairPages).flat()) {
    for (const [, query] of right.slice(0, 3)) {
      const usual = choosePassages(`${page}\n\n${page.toUpperCase()}`, query, { maxPassages: 3 })
      const short = choosePassages(page, query, { maxPassages: 4, maxLength: 90 })
      yield `${query}\n  ${JSON.stringify([usual.map((text) => `${text.slice(0, 12)}…${text.length}`), short])}\n`
    }
  }
}

if (import.meta.main) for (const lines of record()) process.stdout.write(lines)
