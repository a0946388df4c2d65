import { toldCount } from '@csp/lib/told-count'
import { z } from 'zod'
import { omitsThoughts, wantsThoughts } from '../translation/request/thinking.ts'
import { type TranslatedOptions, translated } from '../translation/translation.ts'
import type { Wire } from '../translation/wire.ts'
import type { Upstream } from '../upstream.ts'
import { refusedByResponses } from './refusal.ts'
import { type ResponseEvent, toEvent } from './reply/event.ts'
import { ResponseParser } from './reply/response-parser.ts'
import { type ResponsesBody, responsesBody } from './request/body.ts'
import { signItem } from './thought.ts'

export type { TranslatedOptions } from '../translation/translation.ts'

/** Any model behind OpenAI's Responses API. */
export function responsesUpstream(options: TranslatedOptions): Upstream {
  return translated(responses, options)
}

const responses: Wire<ResponsesBody, ResponseEvent> = {
  path: '/responses',
  body: responsesBody,
  item: toEvent,
  parser: ({ request, body, thinker, toolName, calls, onFeature, note }) =>
    new ResponseParser({
      sign: (thought) => signItem(thought, thinker),
      wantsThoughts: wantsThoughts(request),
      omitsThoughts: omitsThoughts(request),
      waits: !request.stream && !request.stop_sequences?.length,
      offered:
        body.tool_choice === 'none' ? new Map() : new Map(body.tools?.map((tool) => [tool.name, tool.parameters])),
      onPhase: () => onFeature('missing-phases'),
      toolName,
      calls,
      // The API has none.
      stopSequences: request.stop_sequences ?? [],
      note,
    }),
  count: {
    path: '/responses/input_tokens',
    body(request, options) {
      const { model, input, instructions, tools } = responsesBody(request, options)
      return { model, input, instructions, tools }
    },
    read: (reply) => countSchema.safeParse(reply).data?.input_tokens,
  },
  refused: refusedByResponses,
}

const countSchema = z.object({ input_tokens: toldCount })
