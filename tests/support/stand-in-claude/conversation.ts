import type { Message } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock } from '@csp/messages-api/request'
import { ApiFailure, callModel, fullName, type Search, usageOfPlan, webSearch } from './api.ts'
import { Host, type HostAnswer } from './host.ts'
import { lines, print } from './lines.ts'

/** A request of its host, whose fields depend on its subtype. */
interface HostRequest {
  readonly subtype: string
  readonly systemPrompt?: string
  readonly model?: string
  readonly servers?: object
  readonly settings?: { readonly env?: Readonly<Record<string, string>> }
}

interface Usage {
  input: number
  output: number
}

/** `claude --print` on stream-json: one turn after another, and requests of its host at any time. */
export async function converse(args: readonly string[]): Promise<void> {
  const conversation = new Conversation(args)
  let turns = Promise.resolve()
  for await (const line of lines()) {
    const message = JSON.parse(line)
    if (message.type === 'user') turns = turns.then(() => conversation.turn(textOf(message.message.content)))
    else if (message.type === 'control_request') void conversation.obey(message.request_id, message.request)
    else if (message.type === 'control_response') conversation.settle(message.response)
  }
  // Whoever asked has gone.
  process.exit(0)
}

class Conversation {
  readonly #ownTools: readonly string[]
  readonly #host = new Host()
  #systemPrompt: string
  #model = process.env['ANTHROPIC_MODEL'] ?? 'sonnet'
  #messages: { role: string; content: readonly ContentBlock[] }[] = []
  /** What stands before the next message. */
  #before: readonly ContentBlock[] = []
  #session = crypto.randomUUID()
  #turn: AbortController | undefined
  #lastLimit = ''

  constructor(args: readonly string[]) {
    const at = args.indexOf('--system-prompt')
    this.#systemPrompt = at < 0 ? '' : (args[at + 1] ?? '')
    this.#ownTools = args.includes('--tools=WebSearch') ? ['WebSearch'] : []
  }

  async turn(prompt: string): Promise<void> {
    if (prompt === '/clear') return this.#clear()
    this.#init()
    this.#say({ type: 'system', subtype: 'status', status: 'requesting' })
    const turn = new AbortController()
    this.#turn = turn
    const usage = { input: 0, output: 0 }
    try {
      this.#messages.push({ role: 'user', content: [...this.#before, { type: 'text', text: prompt }] })
      this.#before = []
      const { content, stop_reason } = await this.#run(turn.signal, usage)
      const text = String(content.findLast(({ type }) => type === 'text')?.['text'] ?? '')
      this.#end({ is_error: false, result: text, stop_reason, terminal_reason: 'completed' }, usage)
    } catch (error) {
      if (turn.signal.aborted) {
        const subtype = 'error_during_execution'
        this.#end({ subtype, is_error: true, terminal_reason: 'aborted_streaming', stop_reason: null }, usage)
      } else this.#fail(error, usage)
    }
    this.#turn = undefined
  }

  /** The messages of a turn, up to the one that calls no tool. */
  async #run(signal: AbortSignal, usage: Usage): Promise<Message> {
    for (;;) {
      let fold = new MessageFold()
      for await (const event of callModel(this.#call(signal))) {
        if (event.type === 'message_start') fold = new MessageFold()
        fold.read(event)
        const block = event.type === 'content_block_stop' ? fold.block(event.index) : undefined
        if (block && block.type !== 'thinking')
          this.#say({ type: 'assistant', message: { role: 'assistant', content: [block] } })
        this.#say({ type: 'stream_event', event, parent_tool_use_id: null })
      }
      const message = fold.message()
      usage.input += message.usage.input_tokens ?? 0
      usage.output += message.usage.output_tokens
      this.#messages.push({ role: 'assistant', content: message.content })
      const calls = message.content.filter(({ type }) => type === 'tool_use')
      if (message.stop_reason !== 'pause_turn' && calls.length === 0) return message
      const results = await Promise.all(calls.map((block) => this.#use(block, signal)))
      if (calls.length > 0) this.#messages.push({ role: 'user', content: results })
    }
  }

  #call(signal: AbortSignal) {
    const own = this.#ownTools.map((name) => ({
      name,
      description: 'Searches the web.',
      input_schema: { type: 'object' },
    }))
    const client = this.#host.tools.map(({ name, description, inputSchema }) => ({
      ...{ name: `mcp__client__${name}`, description, input_schema: inputSchema },
    }))
    const tools = [...own, ...client]
    const system = [{ type: 'text', text: this.#systemPrompt }]
    return {
      ...this.#context(signal),
      body: {
        ...{ model: fullName(this.#model), system, messages: this.#messages },
        tools,
        output_config: { effort: process.env['CLAUDE_CODE_EFFORT_LEVEL'] },
        ...JSON.parse(process.env['CLAUDE_CODE_EXTRA_BODY'] ?? '{}'),
      },
      onRetry: (status: number | null) =>
        this.#say({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 1, error_status: status }),
      onLimit: (info: object) => {
        const text = JSON.stringify(info)
        if (text !== this.#lastLimit) this.#say({ type: 'rate_limit_event', rate_limit_info: info })
        this.#lastLimit = text
      },
    }
  }

  #context(signal: AbortSignal) {
    return { client: 'sdk-cli', session: this.#session, signal } as const
  }

  /** Runs a search, or passes a call on to its host, which answers it or ends the turn. */
  async #use({ id, name, input }: ContentBlock, signal: AbortSignal): Promise<ContentBlock> {
    const result = (content: unknown, output?: unknown, isError = false) => {
      const block = { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }
      this.#say({ type: 'user', message: { role: 'user', content: [block] }, tool_use_result: output })
      return block
    }
    if (name !== 'WebSearch') {
      const method = {
        method: 'tools/call',
        params: { name: String(name).replace('mcp__client__', ''), arguments: input },
      }
      return result((await this.#host.ask(method, signal)).result?.content)
    }
    try {
      const output = await webSearch(input as Search, this.#context(signal), this.#model)
      const found = output.results.map((row) =>
        typeof row === 'string' ? row : `Links: ${JSON.stringify(row.content)}`,
      )
      const text = [`Web search results for query: "${output.query}"`, ...found].join('\n\n')
      return result(`${text}\n\n\nREMINDER: You MUST include the sources above in your response.`, output)
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiFailure)) throw error
      return result(error.message, `Error: ${error.message}`, true)
    }
  }

  #clear(): void {
    this.#messages = []
    this.#before = [
      { type: 'text', text: '<local-command-caveat>The command below was run directly.</local-command-caveat>\n' },
      { type: 'text', text: '<command-name>/clear</command-name>\n' },
    ]
    this.#session = crypto.randomUUID()
    this.#say({ type: 'conversation_reset', new_conversation_id: this.#session, trigger: 'clear' })
    this.#init()
    this.#end({ is_error: false, result: '', stop_reason: null }, { input: 0, output: 0 })
  }

  #init(): void {
    const tools = [...this.#ownTools, ...this.#host.tools.map(({ name }) => `mcp__client__${name}`)]
    const claude_code_version = process.env['STAND_IN_VERSION']
    this.#say({ type: 'system', subtype: 'init', tools, model: fullName(this.#model), claude_code_version })
  }

  #fail(error: unknown, usage: Usage): void {
    const { message, status, kind } = error instanceof ApiFailure ? error : new ApiFailure(String(error))
    this.#messages.pop()
    this.#say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: message }] } })
    this.#end(
      {
        ...{ is_error: true, result: message, stop_reason: 'stop_sequence', terminal_reason: 'api_error' },
        ...{ api_error_status: status ?? null, api_error: kind ?? null },
      },
      usage,
    )
  }

  #end(result: object, { input, output }: Usage): void {
    const usage = { input_tokens: input, output_tokens: output }
    this.#say({ type: 'result', subtype: 'success', num_turns: 1, usage, ...result })
  }

  #say(message: object): void {
    print({ ...message, session_id: this.#session, uuid: crypto.randomUUID() })
  }

  /** Answers a request of its host. */
  async obey(id: string, request: HostRequest): Promise<void> {
    const response = await this.#answerTo(request)
    const said = response
      ? { subtype: 'success', response }
      : { subtype: 'error', error: 'Unsupported control request' }
    print({ type: 'control_response', response: { request_id: id, ...said } })
    if (request.subtype === 'mcp_set_servers') void this.#host.use(Object.keys(request.servers ?? {}))
  }

  #answerTo({ subtype, systemPrompt, model, servers, settings }: HostRequest): object | Promise<object> | undefined {
    switch (subtype) {
      case 'initialize':
        this.#systemPrompt = systemPrompt ?? this.#systemPrompt
        return { commands: [], models: [] }
      case 'interrupt':
        this.#turn?.abort()
        return { still_queued: [] }
      case 'apply_flag_settings':
        Object.assign(process.env, settings?.env)
        return {}
      case 'set_model':
        this.#model = model ?? this.#model
        return {}
      case 'mcp_status':
        return { mcpServers: [] }
      case 'mcp_set_servers':
        return { added: Object.keys(servers ?? {}), removed: [], errors: {} }
      case 'get_usage':
        return usageOfPlan()
      case 'list_models':
        return {
          models: ['sonnet', 'opus', 'haiku'].map((value) => ({
            ...{ value, resolvedModel: fullName(value), displayName: value, description: value },
          })),
        }
    }
    return undefined
  }

  settle(answer: HostAnswer): void {
    this.#host.settle(answer)
  }
}

function textOf(content: string | readonly ContentBlock[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => String(text ?? '')).join('\n')
}
