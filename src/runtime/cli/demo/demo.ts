import { messageOf } from '@csp/lib/errors'
import type { Config } from '../../config/settings.ts'
import { claudeBinary } from '../../server/claude-cli.ts'
import { openComposition } from '../../server/composition.ts'
import { startServer } from '../../server/server.ts'
import { csp } from '../../shell/program.ts'
import { interruption } from '../../shell/shell.ts'
import { safeLine, styleFor } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, defineCommand, exitCodes } from '../command.ts'
import { offerClaude } from '../offer-claude.ts'
import { quietLog } from '../one-off.ts'

/** `csp demo`: each API and strategy once, on the sandbox. */
export const demo = defineCommand({
  name: 'demo',
  usage: '[FLAGS]',
  details:
    'Starts a server on a free port and makes one search of each kind over HTTP. The real CLI runs against a stand-in for its API; without a CLI, csp uses the stand-in directly. All pages are samples.',
  examples: [`${csp} demo`],
  options: { yes: { short: 'y', help: 'If the CLI is missing, fetch it without asking' } },
  arguments: { minimum: 0, maximum: 0 },
  run: runDemo,
})

interface Demonstration {
  readonly name: string
  readonly path: string
  /** Sent as JSON by POST; absent: a GET. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** The part of the reply to show. */
  readonly show: (reply: string) => string
}

interface DemoCall extends Call {
  readonly options: { readonly yes: boolean }
}

async function runDemo({ shell, loaded, options }: DemoCall): Promise<number> {
  const say = (text: string) => shell.output.write(wrapped(`${text}\n`, shell.output))
  const hasClaude =
    claudeBinary(loaded.config, shell.environment) !== undefined || (await offerClaude(loaded, shell, options.yes, say))
  const backends: Config['backends'] = hasClaude ? ['claude'] : ['messages']
  const config = { ...loaded.config, backends, host: ['127.0.0.1'], port: 0, sandbox: true, rate: 0, apiKeys: [] }
  const { createConfiguredApp } = await import('../../server/create-app.ts')
  const log = quietLog({ shell, loaded }, 'error')
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, log)
  const server = await startServer(createConfiguredApp(config, composition.executor, log), '127.0.0.1', config.port)
  try {
    const { ready, backends } = await composition.executor.health()
    if (!ready) {
      for (const { problem } of backends)
        if (problem) shell.errors.write(wrapped(`${safeLine(problem)}\n`, shell.errors))
      return exitCodes.signedOut
    }
    shell.output.write(
      `SANDBOX at ${server.url}: ${hasClaude ? 'the real CLI' : 'csp without the CLI,'} on a stand-in for its API. All pages are samples; nothing is searched on the web.\n\n`,
    )
    const failed = await walk(server.url, { shell, signal: stop.first })
    if (stop.first.aborted) return exitCodes.interrupted
    shell.output.write(
      failed === 0
        ? `\nAll searches work. Next: ${csp} init, for searches of the web with your own account.\n`
        : `\n${failed} of ${demonstrations.length} searches failed.\n`,
    )
    return failed === 0 ? exitCodes.done : exitCodes.failed
  } finally {
    await server.stop(AbortSignal.abort())
    await composition.close()
    stop.end()
  }
}

/** Tries each demonstration in turn. Resolves to the number that failed. */
export async function walk(
  url: string,
  { shell, signal }: Pick<Call, 'shell'> & { signal: AbortSignal },
): Promise<number> {
  const { bold, dim } = styleFor(shell.output.isTerminal, shell.environment)
  let failed = 0
  for (const demonstration of demonstrations) {
    const startedAt = performance.now()
    const outcome = await attempt(url, demonstration, signal)
    // A call that Ctrl-C has cut off did not fail.
    if (signal.aborted) break
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2)
    if (!outcome.isOk) failed += 1
    const call = dim(`${demonstration.body ? 'POST' : 'GET'} ${demonstration.path.split('?')[0]}`)
    shell.output.write(`${outcome.isOk ? 'ok  ' : 'fail'} ${bold(demonstration.name)}  ${call}  ${seconds} s\n`)
    shell.output.write(`     ${shorten(safeLine(outcome.text), Math.min(shell.output.columns, 100) - 6)}\n`)
  }
  return failed
}

async function attempt(url: string, { path, body, show }: Demonstration, signal: AbortSignal) {
  try {
    const headers = { 'content-type': 'application/json', 'x-subscription-token': 'demo' }
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers, signal } : { headers, signal }
    const response = await fetch(url + path, init)
    const reply = await response.text()
    if (!response.ok) return { isOk: false, text: `${response.status}: ${reply}` }
    const text = show(reply)
    return { isOk: text !== '', text: text || `no result in: ${reply}` }
  } catch (error) {
    return { isOk: false, text: messageOf(error) }
  }
}

const tideParameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }

const demonstrations: readonly Demonstration[] = [
  {
    name: 'Brave web search',
    path: '/res/v1/web/search?q=espresso+machine&count=3',
    show: (reply) => rows(read(reply, 'web', 'results')),
  },
  { name: 'Search', path: '/v1/search?q=http+caching&count=3', show: (reply) => rows(read(reply, 'results')) },
  {
    name: 'The same again, from the cache',
    path: '/v1/search?q=http+caching&count=3',
    show: (reply) => rows(read(reply, 'results')),
  },
  {
    name: 'Perplexity search',
    path: '/search',
    body: { query: 'Apollo 11 landing', max_results: 3 },
    show: (reply) => rows(read(reply, 'results')),
  },
  {
    name: 'Perplexity sonar, fast',
    path: '/chat/completions',
    body: { model: 'sonar', messages: [{ role: 'user', content: 'How do honey bees dance?' }] },
    show: message,
  },
  {
    name: 'Perplexity sonar-pro, streamed',
    path: '/chat/completions',
    body: {
      model: 'sonar-pro',
      stream: true,
      messages: [{ role: 'user', content: 'How does a heat pump work in the cold?' }],
    },
    show: streamed,
  },
  {
    name: 'OpenAI chat, deep',
    path: '/v1/chat/completions',
    body: { model: 'sonar-reasoning', messages: [{ role: 'user', content: 'What did Turing predict for his test?' }] },
    show: message,
  },
  {
    name: 'OpenAI chat, with a function of yours',
    path: '/v1/chat/completions',
    body: {
      model: 'sonnet',
      messages: [{ role: 'user', content: 'How high is the tide in Bergen?' }],
      tools: [{ type: 'function', function: { name: 'get_tide', parameters: tideParameters } }],
    },
    show: toolCall,
  },
]

function message(reply: string): string {
  const text = read(reply, 'choices', 0, 'message', 'content')
  return typeof text === 'string' ? text : ''
}

function toolCall(reply: string): string {
  const called = read(reply, 'choices', 0, 'message', 'tool_calls', 0, 'function')
  const [name, input] = [valueAt(called, 'name'), valueAt(called, 'arguments')]
  return typeof name === 'string' ? `calls ${name} with ${input}` : ''
}

function streamed(reply: string): string {
  const frames = reply.split('\n').filter((line) => line.startsWith('data: {'))
  const pieces = frames.map((line) => read(line.slice('data: '.length), 'choices', 0, 'delta', 'content'))
  return pieces.filter((piece) => typeof piece === 'string').join('')
}

function rows(list: unknown): string {
  if (!Array.isArray(list)) return ''
  return list
    .map((row: unknown) => valueAt(row, 'title'))
    .filter((title) => typeof title === 'string')
    .join(' · ')
}

function read(json: string, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(valueAt, JSON.parse(json))
}

function valueAt(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
