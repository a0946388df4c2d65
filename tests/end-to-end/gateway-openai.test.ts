import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { eventsOf, type ModelTurn } from '../gateway/support/responses-events.ts'
import type { Piece } from '../gateway/support/strict-provider.ts'
import { type SentBody, type StrictResponses, serveResponses } from '../gateway/support/strict-responses.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { eventually } from '../support/processes.ts'
import { realClaude, type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { type RunningSandbox, startSandbox } from '../support/sandbox.ts'

// Claude Code itself on OpenAI's Responses API: its model is a strict stand-in, its searches are csp's.

let provider: StrictResponses
let sandbox: RunningSandbox
let csp: CspProcess
let home: ScratchHome
beforeAll(async () => {
  provider = serveResponses({ reply: play, key: 'key-of-openai' })
  sandbox = await startSandbox()
  home = await scratchHome()
  const gateway = [
    { name: 'openai', url: provider.url, 'key-variable': 'A_KEY', shape: 'responses', models: { '*': 'gpt-5' } },
  ]
  const environment = { CSP_GATEWAY: JSON.stringify(gateway), A_KEY: 'key-of-openai' }
  csp = await startCsp({ standInUrl: sandbox.url, environment })
}, 60_000)
afterAll(async () => {
  await csp?.stop()
  await sandbox?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
  await home?.[Symbol.asyncDispose]()
})

const longText = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')

/** Looks at the files, searches the web, and then writes a long text; all with a thought before it. */
function play({ input, tools = [] }: SentBody): ModelTurn | readonly Piece[] {
  const said = JSON.stringify(input)
  if (said.includes('never end')) return [...[...eventsOf({ text: 'Well, yes.' })].slice(0, 5), 'hang']
  if (!tools.some(({ name }) => name === 'Bash')) return { text: 'A title' }
  const outputs = input.flatMap((item) => (item.type === 'function_call_output' ? [item] : []))
  const call = (name: string, argument: object): ModelTurn => {
    const number = outputs.length + 1
    return { thoughts: [`Thought ${number}.`], calls: [{ id: `call_${number}`, name, json: JSON.stringify(argument) }] }
  }
  if (outputs.length === 0) return call('Bash', { command: 'ls -1', description: 'List files' })
  if (outputs.length === 1) return call('ToolSearch', { query: 'select:WebSearch' })
  if (outputs.length === 2) return call('WebSearch', { query: 'harbour seals' })
  const brought = outputs.map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)))
  return { thoughts: ['All seen.'], text: `Files: ${brought[0]}. Found: ${brought[2]?.slice(0, 400)}. ${longText}` }
}

function start(prompt: string) {
  const folder = join(home.path, 'project')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'otter.txt'), '')
  const flags = ['--allowedTools', 'Bash,WebSearch', '--output-format', 'stream-json', '--verbose']
  return Bun.spawn([realClaude, '-p', '--model', 'sonnet', ...flags, '--', prompt], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.path,
      ANTHROPIC_BASE_URL: csp.url,
      ANTHROPIC_AUTH_TOKEN: 'local',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

const lineSchema = z.looseObject({
  type: z.string(),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }).optional(),
})

describe("Claude Code on OpenAI's Responses API", () => {
  test('thinks, lists files, searches the web and gets a long text, and each thought goes back in its place', async () => {
    const output = await new Response(start('list files, then search for seals').stdout).text()
    const lines = output
      .trim()
      .split('\n')
      .map((line) => lineSchema.parse(JSON.parse(line)))
    const blocks = lines.flatMap(({ type, message }) => (type === 'assistant' ? (message?.content ?? []) : []))
    const thoughts = blocks.filter(({ type }) => type === 'thinking').map((block) => block['thinking'])
    expect(thoughts).toEqual(['Thought 1.', 'Thought 2.', 'Thought 3.', 'All seen.'])
    expect(blocks.filter(({ type }) => type === 'tool_use').map((block) => block['name'])).toEqual([
      'Bash',
      'ToolSearch',
      'WebSearch',
    ])
    const text = String(blocks.find(({ type }) => type === 'text')?.['text'])
    expect(text).toContain('Files: otter.txt.')
    expect(text).toContain('harbour seals')
    expect(text).toEndWith('word2999')
    const items = provider.bodies.findLast(({ tools }) => tools !== undefined)?.input ?? []
    expect(items.map(({ type }) => String(type)).filter((type) => type !== 'message')).toEqual(
      Array.from({ length: 3 }, () => ['reasoning', 'function_call', 'function_call_output']).flat(),
    )
    // csp has made the search itself: no model was asked for it.
    expect(JSON.stringify(provider.bodies)).not.toContain('Perform a web search')
    await eventually(() => csp.log().includes(`[REQ] ${provider.url} model=gpt-5 in=20 out=5 tok/s=`))
  }, 90_000)

  test("that is ended in the middle of a reply ends OpenAI's call", async () => {
    const cli = start('This must never end.')
    await eventually(() => provider.running() > 0)
    cli.kill('SIGINT')
    await cli.exited
    await eventually(() => provider.running() === 0)
    expect(provider.running()).toBe(0)
  }, 60_000)
})
