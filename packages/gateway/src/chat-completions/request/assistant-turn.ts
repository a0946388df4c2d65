import { providerCallId } from '../../translation/call-ids.ts'
import { readBlock } from '../../translation/request/blocks.ts'
import { isServerCall, isServerResult, serverResultText } from '../../translation/request/server-results.ts'
import type { PlacedBlock } from '../../translation/request/turns.ts'
import type { AssistantMessage, ChatMessage, ChatToolCall } from './chat.ts'
import type { ConversationOptions, Thought } from './options.ts'

/**
 * One turn of the model. Tools that the vendor's server ran end a message: their calls and results become plain ones, and
 * what the model wrote next is a message of its own.
 */
export class AssistantTurn {
  readonly #blocks: readonly PlacedBlock[]
  readonly #results: ReadonlyMap<string, string>
  readonly #options: ConversationOptions
  readonly #messages: ChatMessage[] = []
  #text: string[] = []
  #calls: ChatToolCall[] = []
  #thoughts: Thought[] = []
  /** Whether another block has come since the latest text. */
  #isInterrupted = false
  #hasServerResult = false

  constructor(blocks: readonly PlacedBlock[], userResults: ReadonlyMap<string, string>, options: ConversationOptions) {
    this.#blocks = blocks
    const own = blocks.flatMap(({ block }) => {
      const id = block['tool_use_id']
      return isServerResult(block) && typeof id === 'string'
        ? ([[id, serverResultText(block['content'])]] as const)
        : []
    })
    this.#results = new Map([...userResults, ...own])
    this.#options = options
  }

  messages(): readonly ChatMessage[] {
    for (const placed of this.#blocks) this.#read(placed)
    this.#endMessage()
    return this.#messages
  }

  #read({ block, path }: PlacedBlock): void {
    if (isServerResult(block)) {
      this.#hasServerResult = true
      return
    }
    // The model wrote this with the result before its eyes.
    if (this.#hasServerResult) this.#endMessage()
    if (block.type === 'text') {
      this.#readText(readBlock('text', block, path).text)
      return
    }
    this.#isInterrupted = true
    if (block.type === 'thinking') this.#readThinking({ block, path })
    else if (block.type === 'tool_use' || isServerCall(block)) this.#calls.push(this.#toCall({ block, path }))
  }

  /** Texts with citations come in several blocks; one behind a call or a thought is another text. */
  #readText(text: string): void {
    if (text === '') return
    if (this.#text.length > 0 && this.#isInterrupted) this.#text.push('\n\n')
    this.#isInterrupted = false
    this.#text.push(text)
  }

  #readThinking({ block, path }: PlacedBlock): void {
    const { thinking, signature } = readBlock('thinking', block, path)
    const thought = signature ? this.#options.readThought?.(thinking, signature) : undefined
    if (thought) this.#thoughts.push(thought)
  }

  #toCall({ block, path }: PlacedBlock): ChatToolCall {
    const { id, name, input } = readBlock('tool_use', block, path)
    const json = typeof input === 'string' ? input : JSON.stringify(input ?? {})
    return { id, type: 'function', function: { name: this.#options.names.toProvider(name), arguments: json } }
  }

  #endMessage(): void {
    const text = this.#text.join('')
    const extras = new Map(this.#thoughts.flatMap(({ calls = {} }) => Object.entries(calls)))
    const calls = this.#calls.map((call) =>
      extras.has(call.id) ? { ...call, extra_content: extras.get(call.id) } : call,
    )
    if (text !== '' || calls.length > 0) {
      const results = calls.map(({ id }) => ({ id, text: this.#results.get(id) ?? 'No result.' }))
      if (this.#options.toolRole) this.#pushCalls(text, calls, results)
      else this.#pushAsText(text, calls, results)
    }
    this.#text = []
    this.#calls = []
    this.#thoughts = []
    this.#hasServerResult = false
  }

  #pushCalls(text: string, calls: readonly ChatToolCall[], results: readonly Result[]): void {
    this.#messages.push({
      role: 'assistant',
      content: text || null,
      ...(calls.length > 0 && {
        tool_calls: this.#marked(calls.map((call) => ({ ...call, id: providerCallId(call.id) }))),
      }),
      ...this.#thoughtFields(),
    })
    for (const { id, text: content } of results) {
      this.#messages.push({ role: 'tool', tool_call_id: providerCallId(id), content })
    }
  }

  #pushAsText(text: string, calls: readonly ChatToolCall[], results: readonly Result[]): void {
    const told = calls.map(({ function: { name, arguments: json } }) => `[Called ${name} with ${json}]`)
    const content = [text, ...told].filter((line) => line !== '').join('\n')
    this.#messages.push({ role: 'assistant', content, ...this.#thoughtFields() })
    if (results.length === 0) return
    const brought = calls.map(({ function: { name } }, index) => `[Result of ${name}]\n${results[index]?.text ?? ''}`)
    this.#messages.push({ role: 'user', content: brought.join('\n\n') })
  }

  /** Some models refuse a message of theirs without a thought. An empty one counts as missing. */
  #thoughtFields(): Partial<AssistantMessage> {
    const fields = thoughtFields(this.#thoughts)
    const field = this.#options.missingThought
    return field && Object.keys(fields).length === 0 ? { [field]: ' ' } : fields
  }

  /** Gemini refuses a message whose first call has no signature, and takes this one for calls of another model. */
  #marked(calls: readonly ChatToolCall[]): readonly ChatToolCall[] {
    const [first, ...rest] = calls
    if (!this.#options.marksCalls || !first || first.extra_content) return calls
    return [{ ...first, extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }, ...rest]
  }
}

interface Result {
  readonly id: string
  readonly text: string
}

function thoughtFields(thoughts: readonly Thought[]): Partial<AssistantMessage> {
  const details = thoughts.flatMap((thought) => (thought.field === 'reasoning_details' ? thought.details : []))
  const textIn = (field: 'reasoning' | 'reasoning_content'): string =>
    thoughts.flatMap((thought) => (thought.field === field ? [thought.text] : [])).join('')
  const reasoning = textIn('reasoning')
  const content = textIn('reasoning_content')
  return {
    ...(reasoning && { reasoning }),
    ...(content && { reasoning_content: content }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}
