import { afterAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import Perplexity from '@perplexity-ai/perplexity_ai'
import OpenAI from 'openai'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, oneSearchServer, startCsp } from '../support/csp-process.ts'
import { startPageSite } from '../support/page-site.ts'

// Research with vendors' clients, over the pages of a loopback site.

const site = startPageSite({ everywhere: true })
/** One host would be read one page after another. */
const sites = [2, 3, 4, 5, 6, 7, 8, 9].map((host) => `http://127.0.0.${host}:${site.port}`)
const standIn = startSandbox({ resultCount: 6, sites })
const flags = [
  '--rate',
  '0',
  '--pages-allow',
  sites.map((origin) => origin.slice(7)).join(','),
  '--excerpts',
  'pages',
  ...oneSearchServer,
]
const csp: CspProcess = await startCsp({ standInUrl: standIn.url, flags })

afterAll(async () => {
  await csp.stop()
  await Promise.all([standIn.stop(), site.stop()])
})

const openai = () => new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1`, maxRetries: 0 })
const perplexity = () => new Perplexity({ apiKey: 'local', baseURL: csp.url, maxRetries: 0 })
const tools = [{ type: 'web_search_preview' as const }]
/** The searches of the plan and of the round after it. */
const searches = 5 + 3

test('the OpenAI client gets a report as a whole, with sources, evidence and a receipt', async () => {
  const response = await openai().responses.create({
    model: 'o3-deep-research',
    input: 'Where do harbour seals rest?',
    tools: [...tools, { type: 'code_interpreter', container: { type: 'auto' } }],
  })
  expect(response.status).toBe('completed')
  const actions = response.output.flatMap((item) => (item.type === 'web_search_call' ? [item.action.type] : []))
  expect(actions).toEqual(Array(searches).fill('search'))
  expect(response.output_text).toContain('## Part 1')
  const [part] = response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const annotations = part?.type === 'output_text' ? part.annotations : []
  expect(annotations.length).toBeGreaterThan(5)
  for (const annotation of annotations)
    expect(annotation).toMatchObject({ type: 'url_citation', url: expect.stringMatching(/^http:\/\/127\.0\.0\.\d+:/) })
  // The matcher below puts itself in the place of what it matches.
  const receiptUrl = `${csp.url}/v1/receipts/${Object(response).receipt}`
  expect(response).toMatchObject({ evidence: expect.any(Array), receipt: expect.any(String) })
  // It is written behind the reply.
  await eventually(async () => (await fetch(receiptUrl)).ok)
  expect(await (await fetch(receiptUrl)).json()).toMatchObject({
    strategy: 'research',
    question: 'Where do harbour seals rest?',
  })
})

test('the OpenAI client sees a streamed one grow: plan, searches, pages, text', async () => {
  const stream = await openai().responses.create({
    model: 'o4-mini-deep-research-2025-06-26',
    input: 'What do harbour seals eat?',
    tools,
    stream: true,
  })
  const types = new Set<string>()
  let summary = ''
  let text = ''
  let final: OpenAI.Responses.Response | undefined
  for await (const event of stream) {
    types.add(event.type)
    if (event.type === 'response.reasoning_summary_text.delta') summary += event.delta
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.completed') final = event.response
  }
  expect(summary).toStartWith('Searching for:\n- Overview: What do harbour seals eat?')
  expect(types).toContain('response.web_search_call.completed')
  expect(final?.output_text ?? text).toBe(text)
  const items = final?.output ?? []
  const actions = items.flatMap((item) => (item.type === 'web_search_call' ? [item.action.type] : []))
  expect(actions.filter((type) => type === 'search')).toHaveLength(3) // that model searches least
  expect(actions.filter((type) => type === 'open_page').length).toBeGreaterThan(3)
  expect(items.at(0)?.type).toBe('reasoning')
  expect(items.at(-1)?.type).toBe('message')
})

describe('the Perplexity client', () => {
  const messages = [{ role: 'user' as const, content: 'Where do grey seals rest?' }]

  test('gets a report as a whole', async () => {
    const reply = await perplexity().chat.completions.create({
      model: 'sonar-deep-research',
      messages,
      reasoning_effort: 'low',
    })
    // One more for each whose pages came too late.
    expect(reply.usage?.num_search_queries).toBeOneOf([3, 4, 5, 6])
    expect(reply.search_results?.length).toBeGreaterThan(5)
    expect(String(reply.choices[0]?.message.content)).toContain('## Part 1')
  })

  test('sees plan, searches and pages as reasoning steps', async () => {
    const stream = await perplexity().chat.completions.create({
      model: 'sonar-deep-research',
      messages: [{ role: 'user', content: 'What do grey seals eat?' }],
      reasoning_effort: 'low',
      stream: true,
      stream_mode: 'concise',
    })
    const steps: string[] = []
    for await (const chunk of stream) {
      if (chunk.object !== 'chat.reasoning') continue
      for (const { type, thought } of chunk.choices[0]?.delta.reasoning_steps ?? []) steps.push(type ?? thought)
    }
    expect(steps[0]).toStartWith('Searching for:')
    expect(steps.filter((step) => step === 'web_search')).toHaveLength(3)
    expect(steps.filter((step) => step === 'fetch_url_content').length).toBeGreaterThan(3)
  })

  test('sees the events of an agent with a preset for research', async () => {
    const stream = await perplexity().responses.create({
      preset: 'deep-research',
      input: 'How deep do grey seals dive?',
      stream: true,
    })
    const types: string[] = []
    for await (const event of stream) if (event.type !== types.at(-1)) types.push(event.type)
    const order = ['started', 'search_queries', 'search_results', 'fetch_url_queries', 'fetch_url_results', 'stopped']
    const places = order.map((name) => types.indexOf(`response.reasoning.${name}`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(types.indexOf('response.output_text.delta')).toBeGreaterThan(places.at(-1) ?? 0)
    expect(types.at(-1)).toBe('response.completed')
  })
})

test('a caller that hangs up in the middle leaves no call of a model running', async () => {
  standIn.sandbox.configure({ thinkMs: { search: 60_000 } })
  const leaving = new AbortController()
  const body = { model: 'sonar-deep-research', messages: [{ role: 'user', content: 'Where do monk seals rest?' }] }
  const reply = fetch(`${csp.url}/chat/completions`, {
    ...{ method: 'POST', body: JSON.stringify(body), signal: leaving.signal },
  }).catch((error) => error.name)
  await eventually(() => standIn.sandbox.stats().open >= 3)
  leaving.abort()
  expect(await reply).toBe('AbortError')
  await eventually(() => standIn.sandbox.stats().open === 0)
  standIn.sandbox.configure({ thinkMs: 0 })
})
