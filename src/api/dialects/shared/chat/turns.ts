import type { SearchRequest, Turn } from '../../../../domain/search.ts'
import type { Issue } from '../../../exchange/failure.ts'
import { invalid, refused } from '../../../exchange/refusal.ts'
import { Rejection } from '../../../fields/field.ts'
import { type QueryLimits, readQuery } from '../../../fields/query.ts'

/** A turn as a caller sent it. */
export interface Said {
  readonly turn: Turn | { readonly role: 'instructions'; readonly text: string }
  /** What errors name: the text of a user's turn, the role of an assistant's, the call id of a tool's. */
  readonly path: Issue['path']
}

export type Conversation = Pick<SearchRequest, 'query' | 'history' | 'continuation' | 'instructions'>

/** People paste whole documents into a chat: the body's limit bounds them, and then the context of the model. */
const chatQuery: QueryLimits = { maxCharacters: 10_000_000, keepLines: true }

/**
 * Separates the question from the turns before and after it. The question is the user's last turn; only calls and their
 * results may follow it. `path` is that of the whole conversation, for errors. Throws a `Refusal`.
 */
export function readTurns(said: readonly Said[], path: Issue['path']): Conversation {
  const turns = said.filter(({ turn }) => turn.role !== 'instructions')
  refuseOrphans(turns)
  const last = turns.at(-1)
  const place = turns.findLastIndex(({ turn }) => turn.role === 'user')
  const question = turns[place]
  if (!question || (last !== question && last?.turn.role !== 'tool')) {
    throw refused(last?.path ?? path, 'The last turn should be the user’s or a tool result')
  }
  const history = spoken(turns.slice(0, place))
  const query = readQuery(question.turn.text, chatQuery)
  if (query instanceof Rejection) throw invalid({ path: question.path, ...query })
  const continuation = spoken(turns.slice(place + 1))
  return {
    query,
    history,
    ...(continuation.length > 0 && { continuation }),
    instructions: joined(said.flatMap(({ turn }) => (turn.role === 'instructions' ? [turn.text] : []))),
  }
}

/** Instructions from several places as one text; `undefined` when there are none. */
export function joined(instructions: readonly (string | undefined)[]): string | undefined {
  return instructions.filter(Boolean).join('\n\n') || undefined
}

/** A tool result means nothing without its call. */
function refuseOrphans(turns: readonly Said[]): void {
  const called = new Set<string>()
  for (const { turn, path } of turns) {
    if (turn.role === 'assistant') for (const { id } of turn.toolCalls ?? []) called.add(id)
    if (turn.role === 'tool' && !called.has(turn.callId)) {
      throw refused(path, `No earlier turn of the assistant has a call with the id '${turn.callId}'`)
    }
  }
}

/** Drops empty turns, but not empty tool results, which are answers as well. */
function spoken(turns: readonly Said[]): readonly Turn[] {
  return turns.flatMap(({ turn }) => {
    if (turn.role === 'instructions') return []
    if (turn.role === 'tool' || turn.text) return [turn]
    return turn.role === 'assistant' && turn.toolCalls ? [turn] : []
  })
}
