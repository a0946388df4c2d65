import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { z } from 'zod'
import {
  type Seen,
  type Shape,
  type ShapedServer,
  serveShape,
  shapes,
  type Turn,
} from '../../packages/gateway/test/support/any-shape.ts'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { claudeCodeEnvironment, realClaude, type ScratchHome, scratchHome } from '../support/real-claude.ts'

// Claude Code itself on a model of another provider, in each shape, through one csp: its searches are csp's.

/** By which name of a model each shape is reached. */
const names: Readonly<Record<Shape, string>> = {
  native: 'claude-opus-4-8',
  compatible: 'claude-sonnet-5',
  responses: 'claude-sonnet-4-6',
}

let servers: Readonly<Record<Shape, ShapedServer>>
let sandbox: RunningSandbox
let csp: CspProcess
let home: ScratchHome
beforeAll(async () => {
  servers = {
    native: serveShape('native', play),
    compatible: serveShape('compatible', play),
    responses: serveShape('responses', play),
  }
  sandbox = await startSandbox()
  home = await scratchHome()
  const gateway = shapes.map((shape) => ({
    name: shape,
    url: servers[shape].url,
    shape,
    models: { [`${names[shape]}*`]: `model-of-${shape}`, ...(shape === 'native' && { '*haiku*': 'small' }) },
    ...(shape === 'compatible' && { provider: 'openrouter' }),
  }))
  csp = await startCsp({ standInUrl: sandbox.url, environment: { CSP_GATEWAY: JSON.stringify(gateway) } })
})
afterAll(async () => {
  await csp?.stop()
  await sandbox?.[Symbol.asyncDispose]()
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()))
  await home?.[Symbol.asyncDispose]()
})

const longText = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')

/** Looks at the files, searches the web, and then writes a long text; all with a thought before it. */
function play({ said, results, tools }: Seen): Turn {
  if (said.includes('never end')) return { hangs: true }
  if (!tools.includes('Bash')) return { text: 'A title' }
  const call = (name: string, argument: object): Turn => {
    const number = results.length + 1
    return { thought: `Thought ${number}.`, calls: [{ id: `call_${number}`, name, json: JSON.stringify(argument) }] }
  }
  if (results.length === 0) return call('Bash', { command: 'ls -1', description: 'List files' })
  if (results.length === 1) return call('ToolSearch', { query: 'select:WebSearch' })
  if (results.length === 2) return call('WebSearch', { query: 'harbour seals' })
  return { thought: 'All seen.', text: `Files: ${results[0]}. Found: ${results[2]?.slice(0, 400)}. ${longText}` }
}

function start(shape: Shape, prompt: string) {
  const folder = join(home.path, 'project')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'otter.txt'), '')
  const flags = ['--allowedTools', 'Bash,WebSearch', '--output-format', 'stream-json', '--verbose']
  return Bun.spawn([realClaude, '-p', '--model', names[shape], ...flags, '--', prompt], {
    cwd: folder,
    env: claudeCodeEnvironment(csp.url, home.path),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

const lineSchema = z.looseObject({
  type: z.string(),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }).optional(),
})

describe.each(shapes)('Claude Code on a model in the shape %s', (shape) => {
  test('thinks, lists files, searches the web and gets a long text', async () => {
    const output = await new Response(start(shape, 'list files, then search for seals').stdout).text()
    const lines = output
      .trim()
      .split('\n')
      .map((line) => lineSchema.parse(JSON.parse(line)))
    const blocks = lines.flatMap(({ type, message }) => (type === 'assistant' ? (message?.content ?? []) : []))
    const thoughts = blocks.filter(({ type }) => type === 'thinking').map((block) => block['thinking'])
    expect(thoughts).toEqual(['Thought 1.', 'Thought 2.', 'Thought 3.', 'All seen.'])
    const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => block['name'])
    expect(calls).toEqual(['Bash', 'ToolSearch', 'WebSearch'])
    const text = String(blocks.find(({ type }) => type === 'text')?.['text'])
    expect(text).toContain('Files: otter.txt.')
    expect(text).toContain('harbour seals')
    expect(text).toEndWith('word2999')
    expect(new Set(servers[shape].models())).toContain(`model-of-${shape}`)
    await eventually(() => csp.log().includes(`model=model-of-${shape} in=20 out=5 tok/s=`))
  }, 90_000)

  test("that is ended in the middle of a reply ends the upstream's call", async () => {
    const cli = start(shape, 'This must never end.')
    await eventually(() => servers[shape].running() > 0)
    cli.kill('SIGINT')
    await cli.exited
    await eventually(() => servers[shape].running() === 0)
    expect(servers[shape].running()).toBe(0)
  }, 60_000)
})
