import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureDates } from './quality/dates.ts'
import { measureExcerpts } from './quality/excerpts.ts'
import { measureExtraction } from './quality/extraction.ts'
import { measureStructure } from './quality/structure.ts'
import { measureWcxb } from './quality/wcxb.ts'
import { winkRanker } from './quality/wink.ts'

/**
 * Measures how well pages are read, on public sets in a folder (README.md says how to get each): the text of articles
 * and of pages of every kind, the structure of pages, dates, and excerpts for questions, each on both halves with 95 % intervals, beside libraries. A set that the folder
 * does not have is left out. `--only=dates` measures one of them; `--peers` names a folder with wink's packages and defuddle.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, peers: { type: 'string', default: process.cwd() } },
})
const [sets = ''] = positionals
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const isWanted = (part: string, folder: string): boolean =>
  (values.only ?? part) === part && (existsSync(join(sets, folder)) || folder === '')

if (isWanted('extraction', 'articles')) measureExtraction(join(sets, 'articles'), print)
if (isWanted('wcxb', 'wcxb')) measureWcxb(join(sets, 'wcxb'), print)
if (isWanted('structure', '')) await measureStructure(sets, values.peers, print)
if (isWanted('dates', 'htmldate')) measureDates(join(sets, 'htmldate'), print)
if (isWanted('excerpts', '')) {
  const wink = winkRanker(values.peers)
  if (!wink) print('\nwink-bm25-text-search and wink-nlp-utils are not installed, so they are not measured.')
  measureExcerpts(sets, print, wink)
}
