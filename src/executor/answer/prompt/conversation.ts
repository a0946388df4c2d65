import type { SearchRequest, ToolCall, Turn } from '../../../domain/search.ts'
import { section, sections } from './fence.ts'

/** The turns before the question, as a section of a prompt; nothing when there are none. */
export function conversationSection({ history }: SearchRequest): string | false {
  return history.length > 0 && sections('conversation', told(history, history))
}

/** What the model asked for since the question, and what came of it; nothing when nothing has happened. */
export function sinceSection({ history, continuation = [] }: SearchRequest): string | false {
  return continuation.length > 0 && sections('since-then', told(continuation, [...history, ...continuation]))
}

/** `all`: where the calls stand that a result may answer. */
function told(turns: readonly Turn[], all: readonly Turn[]): readonly string[] {
  const names = new Map(all.flatMap(callsOf).map(({ id, name }) => [id, name]))
  return turns.flatMap((turn) => {
    switch (turn.role) {
      case 'user':
        return section('user-turn', turn.text)
      case 'assistant':
        return [turn.text && section('assistant-turn', turn.text), ...callsOf(turn).map(toldCall)].filter(Boolean)
      case 'tool': {
        const name = names.get(turn.callId)
        return section('tool-result', turn.text, { call: turn.callId, ...(name !== undefined && { name }) })
      }
    }
    return []
  })
}

function toldCall({ id, name, arguments: text }: ToolCall): string {
  return section('tool-call', text, { id, name })
}

function callsOf(turn: Turn): readonly ToolCall[] {
  return turn.role === 'assistant' ? (turn.toolCalls ?? []) : []
}
