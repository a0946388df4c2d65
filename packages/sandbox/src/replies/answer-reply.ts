import type { MessagesRequest } from '@csp/messages-api/request'
import { askedIn, blocksSinceQuestion, searchToolOf } from '../messages-request.ts'
import type { SandboxBlock, TextBlock } from '../stream/message.ts'
import type { ReplyContext } from './context.ts'
import { jsonText } from './json-reply.ts'
import { briefly, queryFor, writtenFrom } from './library-text.ts'
import { citedAnswer, citedRecital, linkedAnswer, nativelyCited, spoilText, textBlock } from './model-text.ts'
import type { FoundPage } from './pages.ts'
import { pagesOfResult, runSearch } from './search-reply.ts'
import { givenByTools, toolReply } from './tool-reply.ts'

/**
 * The blocks of a call that searches in order to answer: each search with its result, then text that cites the pages. What
 * a search has found since the question is not searched for again: such a message goes on behind a pause, or is corrected.
 */
export function answerReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] {
  const { scenario } = context
  if (scenario === 'no-search') {
    return [textBlock('Sandbox answer: this was answered from memory, without a search.')]
  }
  const asked = toolReply(request, context)
  // In this scenario the call stands behind the search.
  if (asked && scenario !== 'use-tool') return asked
  const known = scenario === 'pause-turn' ? [] : blocksSinceQuestion(request).flatMap(pagesOfResult)
  const searches = known.length > 0 ? [] : runSearches(request, context)
  const pages = [...known, ...searches.flatMap((search) => search.pages)]
  return [...searches.flatMap(({ blocks }) => blocks), ...(asked ?? textOver(pages, request, context))]
}

function runSearches(request: MessagesRequest, context: ReplyContext) {
  const query = queryFor(request, context).slice(0, 400)
  const first = runSearch(request, query, context)
  if (context.scenario !== 'search-twice') return [first]
  const maxUses = searchToolOf(request)?.['max_uses']
  const isSpent = typeof maxUses === 'number' && maxUses < 2
  return [first, runSearch(request, `${query} again`, context, isSpent ? 'max_uses_exceeded' : undefined)]
}

function textOver(pages: readonly FoundPage[], request: MessagesRequest, context: ReplyContext): readonly TextBlock[] {
  const { scenario } = context
  const question = askedIn(request)
  if (scenario === 'no-summary') return []
  const said = (context.library && briefly(pages, request)) || `“${question.slice(0, 200)}”.`
  const json = jsonText(request, `Sandbox answer: ${said}`, pages[0]?.url, context)
  if (json !== undefined) return [textBlock(json)]
  if (scenario === 'recite') return citedRecital(question, pages)
  const given = givenByTools(request)
  const written = context.library && given === undefined ? writtenFrom(pages, request) : undefined
  if (written) return written.map(nativelyCited)
  const text = [
    ...(scenario === 'non-compliant' ? linkedAnswer(pages) : citedAnswer(pages)),
    ...(given === undefined ? [] : [textBlock(` And ${given}.`)]),
    ...spoilText(pages, scenario).map(textBlock),
  ]
  return scenario === 'no-citations' ? text.map((block) => textBlock(block.text)) : text
}
