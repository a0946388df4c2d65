import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { claudeEnvironment, realClaude, scratchHome } from '../support/real-claude.ts'

/** What `claude mcp serve` makes of a search. Times, ports and ids are blanked. */
export interface ServeObservation {
  readonly isError: boolean
  /** Only of an error. */
  readonly text?: string | undefined
  /** Only of a search that worked: each list of links as its length, each text as itself. */
  readonly results?: readonly (string | number)[] | undefined
}

/** What `claude -p` makes of a question. Times, ports and ids are blanked. */
export interface PrintObservation {
  readonly exitCode: number
  /** `type` or `type/subtype` of each line that is no `stream_event`. */
  readonly events: readonly string[]
  /** Fields of the line `result`. */
  readonly result: Readonly<Record<string, unknown>>
  /** The field `error` of the last line `assistant`. */
  readonly assistantError?: unknown
  /** What the loop's search gave: a message, or lengths and texts as in `ServeObservation`. */
  readonly toolUseResult?: string | readonly (string | number)[] | undefined
  readonly rateLimit?: unknown
}

/** Starts `claude mcp serve` and connects to it. */
export async function connectToServe(
  sandboxUrl: string,
  home: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'csp-tests', version: '0' })
  const env = { ...claudeEnvironment(sandboxUrl, home), ...variables }
  await client.connect(
    new StdioClientTransport({ command: realClaude, args: ['mcp', 'serve'], env, cwd: home, stderr: 'ignore' }),
  )
  return client
}

/** Calls the tool `WebSearch` once. */
export async function observeServe(client: Client, args: Readonly<Record<string, unknown>>): Promise<ServeObservation> {
  const { content, isError = false } = toolReply.parse(await client.callTool({ name: 'WebSearch', arguments: args }))
  const { text } = content[0]
  return isError ? { isError, text: blank(text) } : { isError, results: outline(searchOutput.parse(JSON.parse(text))) }
}

/** A running `claude -p`. */
export interface PrintProcess extends AsyncDisposable {
  kill(): void
  readonly finished: Promise<{ readonly exitCode: number; readonly lines: readonly string[] }>
}

/** Asks `claude -p` one question, with the flags that csp uses. */
export async function startPrint(
  sandboxUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<PrintProcess> {
  const home = await scratchHome()
  const child = Bun.spawn([realClaude, ...printFlags], {
    cwd: home.path,
    env: { ...claudeEnvironment(sandboxUrl, home.path), ...variables },
    stdin: new Blob([question]),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const finish = async () => {
    const output = await new Response(child.stdout).text()
    return { exitCode: await child.exited, lines: output.split('\n').filter((line) => line !== '') }
  }
  return {
    kill: () => child.kill(),
    finished: finish(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      await home[Symbol.asyncDispose]()
    },
  }
}

/** Runs `claude -p` to its end. */
export async function observePrint(
  sandboxUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<PrintObservation> {
  await using child = await startPrint(sandboxUrl, variables)
  const { exitCode, lines } = await child.finished
  return { exitCode, ...observationOf(lines) }
}

/** A `claude -p` that is asked one question after another, and forgets each. */
export interface Conversation {
  observe(): Promise<Omit<PrintObservation, 'exitCode'>>
  /** Lets it end by itself, and returns its exit code. */
  end(): Promise<number>
}

export function startConversation(
  sandboxUrl: string,
  home: string,
  variables: Readonly<Record<string, string>> = {},
): Conversation {
  const child = Bun.spawn([realClaude, ...printFlags, '--input-format', 'stream-json'], {
    cwd: home,
    env: { ...claudeEnvironment(sandboxUrl, home), ...variables },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = linesOf(child.stdout)
  /** The lines of one turn. */
  async function turn(text: string): Promise<readonly string[]> {
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`)
    await child.stdin.flush()
    const lines: string[] = []
    for (;;) {
      const { value, done } = await output.next()
      if (done) throw new Error('The CLI has ended.')
      lines.push(value)
      if (event.parse(JSON.parse(value)).type === 'result') return lines
    }
  }
  return {
    async observe() {
      const lines = await turn(question)
      await turn('/clear')
      return observationOf(lines)
    },
    async end() {
      await child.stdin.end()
      return child.exited
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
}

function observationOf(lines: readonly string[]): Omit<PrintObservation, 'exitCode'> {
  const events = lines.map((line) => event.parse(JSON.parse(line))).filter(({ type }) => type !== 'stream_event')
  const result: Readonly<Record<string, unknown>> = events.find(({ type }) => type === 'result') ?? {}
  const toolUseResult = events.find(({ tool_use_result }) => tool_use_result !== undefined)?.tool_use_result
  return {
    events: events.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type)),
    result: Object.fromEntries(resultFields.flatMap((name) => (name in result ? [[name, blank(result[name])]] : []))),
    assistantError: events.findLast(({ type }) => type === 'assistant')?.['error'],
    toolUseResult: typeof toolUseResult === 'object' ? outline(toolUseResult) : blank(toolUseResult),
    rateLimit: events.find(({ type }) => type === 'rate_limit_event')?.['rate_limit_info'],
  }
}

const question = 'What is new in Bun?'

const printFlags = [
  ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  ...['--tools', 'WebSearch', '--allowedTools', 'WebSearch', '--strict-mcp-config', '--setting-sources', ''],
  ...['--restricted', '--permission-prompts', 'none', '--no-session-persistence'],
]

const resultFields = [
  ...['subtype', 'is_error', 'api_error_status', 'api_error_type', 'api_error'],
  ...['terminal_reason', 'stop_reason', 'num_turns', 'result'],
] as const

const toolReply = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  isError: z.boolean().optional(),
})

const searchOutput = z.looseObject({
  results: z.array(z.union([z.string(), z.looseObject({ content: z.array(z.unknown()) })])),
})

const event = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  tool_use_result: z.union([z.string(), searchOutput]).optional(),
})

function outline({ results }: z.infer<typeof searchOutput>): readonly (string | number)[] {
  return results.map((result) => (typeof result === 'string' ? result : result.content.length))
}

function blank<Value>(value: Value): Value | string {
  if (typeof value !== 'string') return value
  return value
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/resets .*$/gm, 'resets <time>')
    .replace(/\b(req|msg)_sandbox\d+/g, '<id>')
}
