import { eventReader } from '@csp/lib/event-stream'
import type { HttpReply } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { retryAfter } from '@csp/lib/retry-after'
import { z } from 'zod'
import { SearchError } from '../../../domain/error.ts'
import type { ListCall } from '../http/list-api.ts'

// The least of MCP that a search needs: one call of a tool by POST, answered as JSON or as one server-sent event.

/** What a server is asked with. */
export const rpcHeaders = { accept: 'application/json, text/event-stream' }

/** A call of a tool; without a name, the list of tools, which costs no search. */
export function rpcCall(name?: string, input: object = {}): Required<Pick<ListCall, 'path' | 'body'>> {
  const call =
    name === undefined ? { method: 'tools/list' } : { method: 'tools/call', params: { name, arguments: input } }
  return { path: 'mcp', body: { jsonrpc: '2.0', id: 1, ...call } }
}

/** The message that answers, whichever way it came. */
export function rpcMessage({ headers, text }: HttpReply): unknown {
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return parseJson(text)
  const events = eventReader(text.length + 2)(new TextEncoder().encode(`${text}\n\n`))
  return events.map(parseJson).findLast((message) => answerSchema.safeParse(message).success)
}

const answerSchema = z.union([z.object({ result: z.unknown() }), z.object({ error: z.unknown() })])

/** Whether a server answers with its tools. */
export function listsTools(reply: HttpReply): boolean {
  return (
    reply.status === 200 &&
    z.object({ result: z.object({ tools: z.array(z.unknown()) }) }).safeParse(rpcMessage(reply)).success
  )
}

/** The text of a call that succeeded. */
export const toolText = z
  .object({
    result: z.object({
      isError: z.literal(false).optional(),
      content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
    }),
  })
  .transform(({ result }) => result.content.find(({ type }) => type === 'text')?.text ?? '')

const faultSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z
    .object({ result: z.object({ content: z.array(z.object({ text: z.string() })).min(1) }) })
    .transform(({ result }) => result.content[0]?.text ?? ''),
])

/** What anything but rows means, from a server that nobody has a key for. */
export function explainFree(vendor: string): (reply: HttpReply, now: Date) => SearchError {
  return (reply, now) => {
    const said = faultSchema.safeParse(rpcMessage(reply)).data?.slice(0, 300) ?? ''
    const cause = `${reply.status} ${said}`.trim()
    const retryAfterSeconds = retryAfter(reply.headers, now)
    if (reply.status === 429 || /\brate.?limit/i.test(said)) {
      const message = `${vendor} makes no more searches without a key for now.`
      return new SearchError('rate-limited', message, { cause, retryAfterSeconds })
    }
    if (reply.status === 200)
      return new SearchError('failed', `${vendor} sent something other than results.`, { cause })
    return new SearchError('unavailable', `${vendor} failed (${reply.status}).`, { cause, retryAfterSeconds })
  }
}
