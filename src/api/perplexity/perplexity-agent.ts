import { replay } from '../../domain/answer.ts'
import type { Answer, SearchEvent } from '../../domain/search.ts'
import type { Dialect, Frame, Reply } from '../dialect.ts'
import { numberedEvent } from '../openai/responses-events.ts'
import { type AgentInput, agentInput, ignoredAgentFields, readAgent } from './agent-input.ts'
import { AgentWriter } from './agent-writer.ts'
import { perplexityError, perplexityErrorFields } from './perplexity-error.ts'

/** Perplexity's Agent API: the successor of Sonar. Nothing is stored. */
export const perplexityAgent: Dialect<AgentInput> = {
  name: 'perplexity-agent',
  schema: agentInput,
  parse: readAgent,
  ignored: ignoredAgentFields,
  format,
  formatError: perplexityError,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    formatError(failure, _reply, framesSent) {
      return [numberedEvent('response.failed', { error: perplexityErrorFields(failure) }, framesSent)]
    },
  },
}

/** What a stream would have told, less the telling. */
function format(answer: Answer, reply: Reply<AgentInput>): unknown {
  const writer = new AgentWriter(reply)
  for (const event of replay(answer)) writer.add(event)
  return writer.response
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<AgentInput>,
): AsyncGenerator<Frame, void, undefined> {
  const writer = new AgentWriter(reply)
  let begun = false
  for await (const event of events) {
    if (event.type === 'cache') continue
    // Not before the first news, so that whatever fails up to there keeps its status.
    if (!begun) yield* writer.begin()
    begun = true
    yield* writer.add(event)
  }
}
