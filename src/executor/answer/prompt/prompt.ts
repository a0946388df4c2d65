import { oneLine } from '@csp/lib/text'
import type { SearchRequest } from '../../../domain/search.ts'
import { compose, section, sections } from './fence.ts'
import { excludeHints, filterHints } from './filter-hints.ts'

/** The parts of prompts that every backend with a model uses. Pure; text of callers and pages is fenced first. */

/** How every answer with sources is written. It goes out with each, so it is short. For people the caller says `forPeople`. */
export const answerStyle =
  'Prefer recent sources. Unless the caller asks for something else, your reader is another agent: begin with the data asked for, and write plain text without headings.'

/**
 * What an operator's system prompt replaces: who the model is, its style and its language. The rules on sources, markers
 * and links, which grounding rests on, follow whatever it says.
 */
export function manner(own: string | undefined, who: string): Readonly<Record<'begin' | 'style' | 'end', string>> {
  if (own !== undefined) return { begin: `${own}\n\n`, style: '', end: '' }
  const end = '\nWrite in the language of the question unless the instructions of the caller say otherwise.'
  return { begin: `${who} `, style: `- ${answerStyle}\n`, end }
}

/** The query of a search for rows, with an excerpt and a date for each unless `excerpts` is `none`. */
export function resultsQuery(request: SearchRequest, excerpts: 'lines' | 'none', now: Date): string {
  const query = [oneLine(request.query), ...searchHints(request, now)].join('\n')
  return `${query}\n\n${resultsFormat(excerpts)}`
}

/** The reply format of such a search. */
export function resultsFormat(excerpts: 'lines' | 'none'): string {
  return excerpts === 'none' ? noExcerpts : excerptLines
}

const excerptLines = `Reply format: in place of a summary, one line for each result of the search, in their order, and nothing else. In each line the number of the result, counted from 1, the name of its site, the date the page was published, and one or two sentences of the page that bear on the query, close to its own words:
NUMBER SITE|YYYYMMDD|excerpt
such as, for a page on docs.example.com: 3 example|20261007|…
Write ? for a date that you do not know.`

const noExcerpts = 'Reply format: reply with the one word "done".'

/** Sent in the same session to a model that had to call a tool and called none. */
export const callReminder = "You called none. Call one of the caller's tools now, and write nothing besides."

/** Sent in the same session to a model whose JSON does not fit. */
export function schemaReminder(problems: readonly string[]): string {
  return compose(
    section('problems', problems.slice(0, maxProblems).join('\n')),
    'What you wrote cannot be used as it is: see the problems above. Write the whole JSON value once more, put right, and nothing besides.',
  )
}

const maxProblems = 20

/** Additions to a search query: filters, and pages to leave out. */
export function searchHints({ filters, exclude }: SearchRequest, now: Date): readonly string[] {
  return [...filterHints(filters, now), ...excludeHints(exclude)]
}

/** The caller's JSON Schema, if there is one. */
export function schemaSection({ schema }: SearchRequest): string | undefined {
  return schema && section('schema', JSON.stringify(schema))
}

/** Claims with their passages, for the prompt. */
export function claimsSection({ claims }: SearchRequest): string | undefined {
  const parts = claims?.flatMap(({ sentence, passages }, place) => {
    const number = String(place + 1)
    const lines = passages.map(({ text, source }) => `[${source}] ${oneLine(text)}`)
    return [section('claim', oneLine(sentence), { number }), section('passages', lines.join('\n'), { claim: number })]
  })
  return parts && sections('claims', parts)
}

/** The request for JSON that fits the schema, for the end of the prompt. */
export function schemaWish({ schema }: SearchRequest): string | undefined {
  return schema && jsonWish
}

const jsonWish = `Write the answer as one JSON value that fits the JSON Schema above, and nothing besides: no code fence, no words around it. In its strings put no numbers of sources and no links. A URL may stand in it only where the schema asks for one, exactly as a source or a search result gave it.`
