import { z } from 'zod'
import { collect } from '../../domain/answer.ts'
import type { Job } from '../../domain/job.ts'
import { defaultModels } from '../../domain/model.ts'
import type { SearchRequest } from '../../domain/search.ts'
import type { Dialect, DialectReference, Frame, PageDialect, Reply } from '../dialect.ts'
import { exampleEvents, examplePage } from './example.ts'
import type { JobDialect } from './job-dialect.ts'

/** What the reference shows of one dialect at one route, in a form that does not depend on the dialect's input. */
export interface RouteReference extends DialectReference {
  readonly schema: z.ZodType
  /** The schema also takes headers and the path. */
  readonly readsHeaders?: boolean | undefined
  /** Where a route speaks several dialects: whose this is. */
  readonly title?: string | undefined
  /** The reply to the example; absent if every reply is a stream. A `TextReply` is text. */
  readonly reply?: (() => Promise<unknown>) | undefined
  /** The streamed reply to the example; absent without streaming. */
  readonly frames?: (() => AsyncIterable<Frame>) | undefined
}

export function searchReference<Input>(dialect: Dialect<Input>): RouteReference {
  const { schema, reference, stream } = dialect
  const asked = (more: object = {}) => {
    const input = schema.parse({ ...reference.example, ...more })
    const requests: readonly SearchRequest[] = [dialect.parse(input, defaultModels, new Headers())].flat()
    return { input, requests }
  }
  const streamed = { stream: true }
  const isOnlyStreamed = stream?.wanted(asked({ stream: false }).input) ?? false
  return {
    ...reference,
    schema,
    reply: isOnlyStreamed
      ? undefined
      : async () => {
          const { input, requests } = asked()
          return dialect.format(await collect(exampleEvents(requests)), exampleReply(input))
        },
    frames:
      stream &&
      (() => {
        const { input, requests } = asked(streamed)
        return stream.format(exampleEvents(requests), exampleReply(input))
      }),
  }
}

export function pagesReference<Input>(dialect: PageDialect<Input>): RouteReference {
  const { schema, reference } = dialect
  return {
    ...reference,
    schema,
    readsHeaders: dialect.read !== undefined,
    async reply() {
      const input = schema.parse(reference.example)
      const { requests } = dialect.parse(input)
      const outcomes = requests.map(({ url, format }) => ({ url, page: examplePage(url, format) }))
      return dialect.format(outcomes, exampleReply(input))
    },
  }
}

/** `summary`: of a path that reads a job, and takes nothing but what stands in the path. */
export function jobReference<Input>(dialect: JobDialect<Input>, summary?: string): RouteReference {
  const { schema, reference } = dialect
  return {
    ...(summary === undefined ? reference : { summary, example: {} }),
    schema: summary === undefined ? schema : z.object({}),
    readsHeaders: summary !== undefined,
    async reply() {
      const input = schema.parse(reference.example)
      const reply = exampleReply(input)
      const { id } = reply
      const request = dialect.parse(input, defaultModels)
      const job: Job = {
        id,
        owner: '',
        vendor: dialect.vendor,
        status: 'queued',
        createdAt: Number(reply.createdAt),
        request,
        input,
      }
      return dialect.format({ job, reply, events: [] })
    },
  }
}

function exampleReply<Input>(input: Input): Reply<Input> {
  return {
    id: '7d3c1f5e-0a52-4a3c-9d52-6f0f5f4c2a11',
    createdAt: new Date('2026-11-20T10:00:00Z'),
    elapsedMs: () => 4_200,
    input,
    promptTokens: 12,
  }
}
