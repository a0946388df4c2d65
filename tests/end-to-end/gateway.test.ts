import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { z } from 'zod'
import {
  type ChatRequest,
  type StrictProvider,
  serveProvider,
} from '../../packages/gateway/test/support/strict-provider.ts'
import { ollama } from '../../packages/gateway/test/support/vendors.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { claudeEnvironment, realClaude } from '../support/real-claude.ts'

// The real Claude Code CLI, through a csp of its own, on a model of another provider.

const scratch = mkdtempSync(join(tmpdir(), 'csp-gateway-'))
let provider: StrictProvider
let csp: CspProcess

beforeAll(async () => {
  for (const name of ['otter.txt', 'seal.txt']) writeFileSync(join(scratch, name), '')
  provider = serveProvider(ollama(play))
  const models = { '*opus*': 'big:70b', '*sonnet*': 'middle:14b', '*haiku*': 'small:4b' }
  const gateway = [{ name: 'local', url: provider.url, shape: 'compatible', models }]
  csp = await startCsp({ standInUrl: 'http://127.0.0.1:9', environment: { CSP_GATEWAY: JSON.stringify(gateway) } })
})

afterAll(async () => {
  await csp.stop()
  await provider[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

describe('Claude Code on a model of another provider', () => {
  test.each([
    ['opus', 'big:70b'],
    ['sonnet', 'middle:14b'],
    ['haiku', 'small:4b'],
  ])(
    'reaches for %s the model %s, and the log names it',
    async (model, expected) => {
      const before = provider.bodies.length
      const lines = await ask('Say hello.', model)
      expect(textIn(lines)).toContain('Hello from afar.')
      expect(new Set(provider.bodies.slice(before).map((body) => body.model))).toEqual(new Set([expected]))
      await eventually(() => csp.log().includes(`[REQ] ${provider.url} model=${expected} in=20 out=5 tok/s=`))
    },
    60_000,
  )

  test('thinks, lists the files of the current directory with a tool, and answers', async () => {
    const lines = await ask('list files in the current directory', 'sonnet')
    expect(blocksIn(lines, 'thinking').map((block) => block['thinking'])).toEqual(['Let me look.', 'I know now.'])
    expect(blocksIn(lines, 'tool_use')).toMatchObject([{ name: 'Bash', input: { command: 'ls -1' } }])
    expect(textIn(lines)).toContain('There is: otter.txt\nseal.txt')
    const [fresh, after] = provider.bodies.slice(-2)
    expect([fresh?.tool_choice, after?.tool_choice]).toEqual(['required', 'auto'])
    expect(after?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', reasoning: 'Let me look.' },
      { role: 'tool' },
    ])
    const prefix = JSON.stringify(fresh?.messages).slice(0, -1)
    expect(JSON.stringify(after?.messages).slice(0, prefix.length)).toBe(prefix)
  }, 60_000)

  test('comes to an end where the model numbers its calls anew in each reply', async () => {
    const lines = await ask('count in three steps', 'sonnet')
    expect(textIn(lines)).toContain('I have counted: one, two, three')
    const ids = blocksIn(lines, 'tool_use').map((block) => String(block['id']))
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[\w-]+$/)
    const told = provider.bodies.at(-1)?.messages ?? []
    expect(JSON.stringify(told)).not.toContain('interrupted')
    expect(told.flatMap((message) => ('tool_call_id' in message ? [message.tool_call_id] : []))).toEqual([
      'functions.Bash:0',
      'functions.Bash:0',
      'functions.Bash:0',
    ])
  }, 60_000)
})

function play(body: ChatRequest) {
  if (saidIn(body).includes('three steps')) return counting(body)
  const last = body.messages.at(-1)
  if (last?.role === 'tool') return { thought: 'I know now.', text: `There is: ${last.content}` }
  if (!saidIn(body).includes('list files')) return { text: 'Hello from afar.' }
  const calls = [{ id: 'call_a', name: 'Bash', json: '{"command":"ls -1","description":"List files"}' }]
  return { thought: 'Let me look.', text: 'I will look.', calls }
}

/** A model that begins to number its calls with 0 in each reply. */
function counting({ messages }: ChatRequest) {
  const counted = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))
  const next = ['one', 'two', 'three'][counted.length]
  if (next === undefined) return { text: `I have counted: ${counted.join(', ')}` }
  const json = JSON.stringify({ command: `echo ${next}`, description: 'Count' })
  return { calls: [{ id: 'functions.Bash:0', name: 'Bash', json }] }
}

function saidIn({ messages }: ChatRequest): string {
  return JSON.stringify(messages.filter(({ role }) => role === 'user'))
}

function start(prompt: string, model: string) {
  const flags = ['--model', model, '--allowedTools', 'Bash', '--output-format', 'stream-json', '--verbose']
  return Bun.spawn([realClaude, '-p', prompt, ...flags], {
    cwd: scratch,
    env: {
      ...claudeEnvironment(csp.url, scratch),
      CLAUDE_CODE_OAUTH_TOKEN: '',
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_AUTH_TOKEN: 'local',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function ask(prompt: string, model: string): Promise<readonly Line[]> {
  const text = await new Response(start(prompt, model).stdout).text()
  return text
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)))
}

const lineSchema = z.looseObject({
  type: z.string(),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }).optional(),
})
type Line = z.infer<typeof lineSchema>

function blocksIn(lines: readonly Line[], type: string) {
  const said = lines.filter((line) => line.type === 'assistant')
  return said.flatMap(({ message }) => message?.content ?? []).filter((block) => block.type === type)
}

function textIn(lines: readonly Line[]): string {
  return blocksIn(lines, 'text')
    .map((block) => block['text'])
    .join('\n')
}
