import { parseObject } from '@csp/lib/json'
import type { Message, MessagesEvent, MessageUsage } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import type { Upstream, UpstreamContext } from '../upstream.ts'
import { KnownAddresses } from './known-addresses.ts'
import { offerServerTools, type ServerTool } from './offered-tools.ts'
import { addUsage, type CitablePage, TurnWriter } from './turn-writer.ts'

export type { CitablePage } from './turn-writer.ts'

/** The outcome of a tool that csp ran. */
export interface ToolOutcome {
  /** The content of the result block that the client gets. */
  readonly content: unknown
  /** The text for the model. `first` is the number of the first of the pages. */
  text(first: number): string
  readonly pages: readonly CitablePage[]
  readonly isError?: boolean | undefined
}

/** Runs the tools that the vendor's own server would run. A failure is an outcome; only an abort throws. */
export interface ServerToolRunner {
  /** Runs one search for the model. A failed search is an outcome with `isError`. */
  search(query: string, tool: ServerTool, signal: AbortSignal): Promise<ToolOutcome>
  /** The URL stands in the conversation, or in what this turn has found. */
  fetch(url: string, tool: ServerTool, signal: AbortSignal): Promise<ToolOutcome>
}

/** A call by the model for one of these tools. */
interface OwnCall {
  readonly id: string
  readonly tool: ServerTool
  readonly input: Readonly<Record<string, unknown>>
}

/** More replies than this in one turn are a model that does not come to an end. */
const maxReplies = 10

/**
 * Sends a request whose server tools csp runs: the model calls them as functions, csp carries the calls out within the turn,
 * and the client sees the blocks that the vendor's own server would send. When the model calls a tool of the client in
 * the same reply, both stay: the search is done, and the turn ends with the client's call.
 */
export async function* withServerTools(
  upstream: Upstream,
  request: MessagesRequest,
  context: UpstreamContext,
  runner: ServerToolRunner,
): AsyncGenerator<MessagesEvent, void, undefined> {
  const { tools, request: planned } = offerServerTools(request)
  const turn = new Turn(tools, runner, request, context.signal)
  let messages = planned.messages
  for (let replies = 1; ; replies++) {
    // A tool that must be called is called once: the next reply may be the answer.
    const choice = replies > 1 && planned.tool_choice?.type !== 'none' ? { tool_choice: undefined } : {}
    const reply = yield* turn.read(upstream.send({ ...planned, ...choice, messages }, context))
    if (reply.own.length === 0) return yield* turn.end(reply.message)
    const results = yield* turn.run(reply.own)
    yield* turn.release()
    if (reply.callsClient) return yield* turn.end(reply.message)
    if (replies === maxReplies) return yield* turn.end({ ...reply.message, stop_reason: 'pause_turn' })
    messages = [
      ...messages,
      { role: 'assistant', content: [...reply.message.content] },
      { role: 'user', content: results },
    ]
  }
}

interface Reply {
  readonly message: Message
  readonly own: readonly OwnCall[]
  /** Whether the model also calls a tool of the client. */
  readonly callsClient: boolean
}

/** What the client sees of all replies together. */
class Turn {
  readonly #tools: ReadonlyMap<string, ServerTool>
  readonly #runner: ServerToolRunner
  readonly #signal: AbortSignal
  readonly #writer = new TurnWriter()
  readonly #uses = new Map<string, number>()
  readonly #known: KnownAddresses
  /** Blocks behind a call of csp's own, which wait for its result. */
  #held: MessagesEvent[] = []
  #usage: MessageUsage | undefined
  #hasBegun = false
  #calls = 0

  constructor(
    tools: ReadonlyMap<string, ServerTool>,
    runner: ServerToolRunner,
    request: MessagesRequest,
    signal: AbortSignal,
  ) {
    this.#tools = tools
    this.#runner = runner
    this.#known = new KnownAddresses(request)
    this.#signal = signal
  }

  /** Passes on the blocks of one reply. */
  async *read(events: AsyncIterable<MessagesEvent>): AsyncGenerator<MessagesEvent, Reply, undefined> {
    const fold = new MessageFold()
    const own: OwnCall[] = []
    let open: { readonly id: string; readonly tool: ServerTool; json: string } | undefined
    let callsClient = false
    for await (const event of events) {
      fold.read(event)
      if (event.type === 'message_start') {
        if (!this.#hasBegun) yield event
        this.#hasBegun = true
      } else if (event.type === 'ping') yield event
      else if (event.type === 'content_block_start') {
        const tool = this.#toolOf(event.content_block)
        if (tool) open = { id: `srvtoolu_${++this.#calls}_${idOf(event.content_block)}`, tool, json: '' }
        else {
          callsClient ||= event.content_block.type === 'tool_use'
          yield* this.#passOn(event, own.length > 0)
        }
      } else if (open && event.type === 'content_block_delta') {
        if (event.delta.type === 'input_json_delta') open.json += event.delta.partial_json
      } else if (open && event.type === 'content_block_stop') {
        const call = { id: open.id, tool: open.tool, input: parseObject(open.json) }
        open = undefined
        own.push(call)
        if (own.length === 1) yield* this.#announce(call)
      } else if (event.type === 'content_block_delta' || event.type === 'content_block_stop') {
        yield* this.#passOn(event, own.length > 0)
      }
    }
    const message = fold.message()
    this.#usage = addUsage(this.#usage, message.usage)
    return { message, own, callsClient }
  }

  /** Carries calls out, all at the same time, and gives the model's results in their order. */
  async *run(calls: readonly OwnCall[]): AsyncGenerator<MessagesEvent, ContentBlock[], undefined> {
    const running = calls.map((call) => this.#carryOut(call))
    const results: ContentBlock[] = []
    for (const [place, call] of calls.entries()) {
      if (place > 0) yield* this.#announce(call)
      const outcome = await running[place]
      if (!outcome) continue
      const first = this.#writer.addPages(outcome.pages)
      const text = outcome.text(first)
      for (const { url } of outcome.pages) this.#known.add(url)
      if (!outcome.isError) this.#known.add(text)
      const type = call.tool.kind === 'search' ? 'web_search_tool_result' : 'web_fetch_tool_result'
      yield* this.#writer.whole({ type, tool_use_id: call.id, content: outcome.content })
      results.push({
        type: 'tool_result',
        tool_use_id: originalId(call.id),
        content: text,
        ...(outcome.isError && { is_error: true }),
      })
    }
    return results
  }

  /** Passes on what had to wait for the results. */
  *release(): Generator<MessagesEvent, void, undefined> {
    for (const event of this.#held.splice(0)) yield* this.#passOn(event, false)
  }

  *end({ stop_reason, stop_sequence }: Message): Generator<MessagesEvent, void, undefined> {
    const usage = this.#usage ?? { output_tokens: 0 }
    const count = (kind: ServerTool['kind']) =>
      [...this.#uses].reduce((sum, [name, uses]) => (this.#tools.get(name)?.kind === kind ? sum + uses : sum), 0)
    const server_tool_use = { web_search_requests: count('search'), web_fetch_requests: count('fetch') }
    yield {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: this.#uses.size > 0 ? { ...usage, server_tool_use } : usage,
    }
    yield { type: 'message_stop' }
  }

  #toolOf(block: ContentBlock): ServerTool | undefined {
    return block.type === 'tool_use' ? this.#tools.get(String(block['name'])) : undefined
  }

  *#passOn(event: MessagesEvent, isHeld: boolean): Generator<MessagesEvent, void, undefined> {
    if (isHeld) this.#held.push(event)
    else if (event.type === 'content_block_start') yield* this.#writer.start(event.content_block)
    else if (event.type === 'content_block_delta') yield* this.#writer.delta(event.delta)
    else if (event.type === 'content_block_stop') yield* this.#writer.stop()
  }

  *#announce({ id, tool, input }: OwnCall): Generator<MessagesEvent, void, undefined> {
    const block = { type: 'server_tool_use', id, name: tool.name, input: {} }
    yield* this.#writer.whole(block, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
  }

  async #carryOut({ tool, input }: OwnCall): Promise<ToolOutcome> {
    const uses = this.#uses.get(tool.name) ?? 0
    if (uses >= tool.maxUses) return failedTool(tool, 'max_uses_exceeded')
    const asked = input[tool.kind === 'search' ? 'query' : 'url']
    if (typeof asked !== 'string' || asked.trim() === '') return failedTool(tool, 'invalid_tool_input')
    // A model must not send data to an address that it made up, in this turn or an earlier one.
    if (tool.kind === 'fetch' && !this.#known.has(asked))
      return failedTool(tool, 'url_not_in_prior_context', unknownUrl)
    this.#uses.set(tool.name, uses + 1)
    if (tool.kind === 'search') return this.#runner.search(asked, tool, this.#signal)
    return this.#runner.fetch(asked, tool, this.#signal)
  }
}

const unknownUrl = 'The URL must stand in the conversation or in the results of a search.'

/** The outcome of a call that cannot be carried out. */
export function failedTool({ kind }: Pick<ServerTool, 'kind'>, code: string, message = code): ToolOutcome {
  const type = kind === 'search' ? 'web_search_tool_result_error' : 'web_fetch_tool_result_error'
  return { content: { type, error_code: code }, text: () => `Error: ${message}`, pages: [], isError: true }
}

function idOf(block: ContentBlock): string {
  return String(block['id'])
}

/** The id that the model gave its call. */
function originalId(id: string): string {
  return id.replace(/^srvtoolu_\d+_/, '')
}
