import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Scenario, scenarios } from '@csp/sandbox/scenario'
import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { createApp } from '../../src/app.ts'
import { messages } from '../../src/executor/backends/messages/messages.ts'
import { deadline } from '../../src/executor/layers/resilience/deadline.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'

// `csp serve --sandbox`, as a user starts it to try a client. It brings its own stand-in.
const noStandIn = 'http://127.0.0.1:9'

let csp: CspProcess
beforeAll(async () => {
  csp = await startCsp({ standInUrl: noStandIn, flags: ['--sandbox', '--rate', '0', '--excerpts', 'auto'] })
})
afterAll(() => csp.stop())

const reply = z.looseObject({
  results: z.array(z.unknown()).optional(),
  error: z.looseObject({ code: z.string() }).optional(),
})

/** A list of results: the status, and the code of an error or the number of rows. */
async function outcomeOf(response: Response): Promise<readonly unknown[]> {
  const { results, error } = reply.parse(await response.json())
  return [response.status, error?.code ?? results?.length]
}

describe('each scenario over HTTP, on the backend that needs no CLI', () => {
  const standIn = startSandbox()
  const backend = messages({ apiKey: 'k', model: 'sonnet', url: standIn.url, version: '1', requestsPerSecond: 0 })
  const app = createApp({ executor: deadline({ timeoutMs: 1000 })(backend), version: '1' })
  afterAll(async () => {
    await backend.close()
    await standIn.stop()
  })

  const found = [200, 3]
  const unavailable = [503, 'unavailable']
  const outcomes: Readonly<Record<Scenario, readonly (string | number)[]>> = {
    ok: found,
    'error-400': [400, 'invalid_request'],
    'error-401': [503, 'signed_out'],
    'error-403': [503, 'signed_out'],
    'error-404': [400, 'invalid_request'],
    'error-413': [400, 'invalid_request'],
    'error-429': [429, 'rate_limited'],
    'error-429-week': [429, 'rate_limited'],
    'error-429-bare': [429, 'rate_limited'],
    'error-500': unavailable,
    'error-529': unavailable,
    'tool-refused': found,
    // Only plans have these two; to an API key they are any other rejection.
    'error-third-party': [400, 'invalid_request'],
    'error-extra-usage': [400, 'invalid_request'],
    'error-credit-balance': [429, 'rate_limited'],
    'near-limit': found,
    recite: found,
    hang: [504, 'timeout'],
    'hang-midway': [504, 'timeout'],
    cut: unavailable,
    'cut-in-text': unavailable,
    'cut-after-text': unavailable,
    'error-midway': unavailable,
    garbage: unavailable,
    slow: [504, 'timeout'], // eight pages take longer than this server waits
    'search-too-many-requests': unavailable,
    'search-max-uses-exceeded': unavailable,
    'search-unavailable': unavailable,
    'search-query-too-long': [400, 'invalid_request'],
    empty: [200, 0],
    'no-summary': found,
    'no-search': [502, 'ungrounded'],
    'search-twice': found,
    'no-citations': found,
    'non-compliant': found,
    preamble: found,
    'invented-url': found,
    'trailing-sources': found,
    'max-tokens': found,
    refusal: [502, 'ungrounded'],
    'refusal-after-search': found,
    'use-tool': found,
    'use-two-tools': found,
    'pause-turn': found,
  }

  test.each(scenarios)('%s', async (scenario) => {
    standIn.sandbox.configure({ scenario })
    expect(await outcomeOf(await app.request('/v1/search?count=3&q=seals'))).toEqual([...outcomes[scenario]])
  })
})

describe('an agent on the sandbox', () => {
  const asked: unknown[] = []
  const weather = tool({
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
    execute: (input) => {
      asked.push(input)
      return `Rain in ${input.city}.`
    },
  })

  async function converse(agent: Agent, ...questions: readonly string[]): Promise<readonly unknown[]> {
    setTracingDisabled(true)
    asked.length = 0
    const openAIClient = new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1`, maxRetries: 0 })
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }) })
    const session = new MemorySession()
    const answers: unknown[] = []
    for (const question of questions) answers.push((await runner.run(agent, question, { session })).finalOutput)
    return answers
  }

  test('of OpenAI’s framework calls its tool once for each question that asks for it, and uses what it gave', async () => {
    const agent = new Agent({ name: 'Weather', model: 'sonnet', tools: [weather] })
    const answers = await converse(
      agent,
      'What is the weather in Bergen, in fahrenheit?',
      'Who was Grieg?',
      'And the weather in Oslo?',
    )
    expect(asked).toEqual([
      { city: 'Bergen', unit: 'fahrenheit' },
      { city: 'Oslo', unit: 'celsius' },
    ])
    expect(answers).toEqual([
      expect.stringMatching(/the tool gave “Rain in Bergen\.”/i),
      expect.not.stringMatching(/the tool gave/i),
      expect.stringMatching(/the tool gave “Rain in Oslo\.”/i),
    ])
  })

  test.each(['required', 'get_weather'])('calls its tool once with the choice %s', async (toolChoice) => {
    const agent = new Agent({ name: 'Weather', model: 'sonnet', tools: [weather], modelSettings: { toolChoice } })
    const answers = await converse(agent, 'Who was Grieg?')
    expect(asked).toEqual([{ city: 'Grieg', unit: 'celsius' }])
    expect(answers).toEqual([expect.stringMatching(/the tool gave “Rain in Grieg\.”/i)])
  })
})

describe('the library of the sandbox', () => {
  const chat = async (body: object) => {
    const response = await fetch(`${csp.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { choices, evidence, receipt, search_results } = await response.json()
    const verdicts = (evidence ?? []).map(({ verdict }: { verdict: string }) => verdict)
    return { text: choices[0].message.content, verdicts, evidence, receipt, rows: search_results }
  }
  const read = async ({ url }: CspProcess, page: string) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [page] }),
    }
    const { results, failed } = await (await fetch(`${url}/v1/extract`, init)).json()
    return results[0] ?? failed
  }
  const ask = (model: string, content: string) => chat({ model, messages: [{ role: 'user', content }] })

  // A list and an answer wait for a page as long as a person would, which a busy machine may exceed.
  beforeAll(async () => {
    const pages = ['encyclopedia.csp.example/waggle-dance', 'almanac.csp.example/animals/bee-colony']
    for (const page of pages) await read(csp, `https://${page}`)
  })

  test('has lists whose excerpts and dates are those of its pages', async () => {
    const list = await (await fetch(`${csp.url}/v1/search?q=honey+bees&count=5`)).json()
    expect(list.results).toHaveLength(2)
    for (const { url, snippet, published_date } of list.results) {
      const page = await read(csp, url)
      expect([page.published_date, page.content]).toEqual([
        published_date,
        expect.stringContaining(snippet.slice(0, 60)),
      ])
    }
  })

  test.each(['sonar', 'sonar-pro', 'sonar-reasoning', 'sonar-deep-research'])(
    'has answers of %s whose sentences are on the pages that they cite, but one',
    async (model) => {
      const { text, verdicts, evidence, receipt } = await ask(model, 'How do honey bees dance?')
      expect(text).toStartWith('Sandbox answer')
      expect(verdicts.filter((verdict: string) => verdict === 'found').length).toBeGreaterThan(3)
      const others = evidence.filter(({ verdict }: { verdict: string }) => verdict !== 'found')
      expect(others).toEqual([expect.objectContaining({ sentence: expect.stringContaining('A survey of 2,417') })])
      const kept = await (await fetch(`${csp.url}/v1/receipts/${receipt}`)).json()
      expect(kept.sources[0].text).toContain('Karl von Frisch decoded the dance in the 1940s.')
    },
  )

  test('says of a question that none of its pages bears on what it knows', async () => {
    const { text, rows } = await ask('sonar-pro', 'Who paints lighthouses?')
    expect(text).toContain('None of them bears on this question.')
    expect(text).toContain('the Turing test')
    expect(rows).toEqual([expect.objectContaining({ url: 'https://library.csp.example/' })])
  })

  test('is read by a csp on the sandbox alone', async () => {
    const standIn = startSandbox()
    const other = await startCsp({ standInUrl: standIn.url })
    try {
      const url = 'https://encyclopedia.csp.example/waggle-dance'
      expect((await read(csp, url)).content).toContain('Honey bees dance')
      expect(await read(other, url)).toMatchObject([{ code: expect.any(String) }])
    } finally {
      await other.stop()
      await standIn.stop()
    }
  })
})

test('the stand-in takes the time that --sandbox=PACE names', async () => {
  const flags = ['--sandbox=search=600000', '--backends', 'messages', '--timeout', '1']
  const slow = await startCsp({ standInUrl: noStandIn, flags })
  try {
    expect(await outcomeOf(await fetch(`${slow.url}/v1/search?q=seals`))).toEqual([504, 'timeout'])
  } finally {
    await slow.stop()
  }
})
