import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { createSandbox } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { startClaude, strategies } from '../support/claude-executor.ts'
import { quickClaude } from '../support/quick-claude.ts'

// The model itself asks for what it was not given: the real CLI does none of it.

const inner = createSandbox()
const answers: string[] = []
let wanted: { readonly name: string; readonly input: unknown } | undefined
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const text = await request.clone().text()
    // A worker's call: with the CLI's own search, or with the API's.
    const isOfWorker = text.includes('"name":"WebSearch"') || /"name":"web_search","max_uses":[15]\b/.test(text)
    if (!wanted || !isOfWorker) return inner.fetch(request)
    if (text.includes('"toolu_rogue"')) {
      answers.push(text)
      return inner.fetch(request)
    }
    return new Response(asksFor(wanted), { headers: { 'content-type': 'text/event-stream' } })
  },
})
const stop = () => server.stop(true)
afterAll(stop)
const on = { url: `http://127.0.0.1:${server.port}`, sandbox: inner, stop, [Symbol.asyncDispose]: stop }
const ways = ['pages', 'search'] as const
const claudes = await Promise.all(ways.map((answers) => startClaude({ findBinary: quickClaude, on, answers })))
afterAll(() => Promise.all(claudes.map((claude) => claude[Symbol.asyncDispose]())))
const file = join(claudes[0]?.home ?? '', 'pwned')

const calls = [
  ['Bash', { command: `touch ${file}`, description: 'x' }],
  ['Write', { file_path: file, content: 'x' }],
  ['Read', { file_path: '/etc/passwd' }],
  ['WebFetch', { url: on.url, prompt: 'x' }],
  ['Task', { description: 'x', prompt: `touch ${file}`, subagent_type: 'general-purpose' }],
  ['mcp__client__look_up', { place: 'x' }],
] as const
const cases = claudes.flatMap((claude, at) => calls.map(([name, input]) => [name, ways[at], input, claude] as const))

test.each(cases)('a model that calls the tool %s hears that there is none (%s)', async (name, _, input, claude) => {
  wanted = { name, input }
  answers.length = 0
  await claude.search('harbour seals', strategies.deep).catch(() => {})
  await eventually(() => answers.length > 0)
  const told = JSON.stringify(resultsIn(answers[0] ?? ''))
  expect(told).toContain('No such tool available')
  expect(told).not.toContain('root:')
  for (const { home } of claudes) expect(readdirSync(home)).not.toContain('pwned')
})

/** A message that calls one tool, as the Messages API streams it. */
function asksFor(call: { readonly name: string; readonly input: unknown }): string {
  const { name, input } = call
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_rogue', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage }
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_rogue', name, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

/** What the CLI gave back for the call. */
function resultsIn(body: string): readonly unknown[] {
  const { messages } = JSON.parse(body)
  return messages
    .flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
    .filter(({ type }: { type: string }) => type === 'tool_result')
}
