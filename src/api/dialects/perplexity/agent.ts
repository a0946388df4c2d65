import type { Dialect } from '../../dialect.ts'
import { numberedEvent, writeStream, writeWhole } from '../shared/responses/format.ts'
import { type AgentInput, agentInput, ignoredAgentFields, readAgent } from './agent-input.ts'
import { AgentWriter } from './agent-writer.ts'
import { perplexityErrorFields } from './error.ts'

/** Perplexity's Agent API: the successor of Sonar. Nothing is stored. */
export const perplexityAgent: Dialect<AgentInput> = {
  kind: 'search',
  schema: agentInput,
  reference: {
    summary: 'Written answer with citations',
    example: { preset: 'low', input: 'How do heat pumps work in the cold?' },
  },
  parse: readAgent,
  ignored: ignoredAgentFields,
  format: (answer, reply) => writeWhole(new AgentWriter(reply), answer),
  stream: {
    wanted: (input) => input.stream ?? false,
    format: (events, reply) => writeStream(new AgentWriter(reply), events),
    formatError(failure, _reply, framesSent) {
      return [numberedEvent('response.failed', { error: perplexityErrorFields(failure) }, framesSent)]
    },
  },
}
