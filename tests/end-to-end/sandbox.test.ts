import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { type Scenario, scenarios } from '../../src/sandbox/scenario.ts'
import { type CspProcess, oneSearchServer, startCsp } from '../support/csp-process.ts'

setDefaultTimeout(60_000)

// `csp serve --sandbox`, as a user starts it to try a client. It brings its own stand-in.
const noStandIn = 'http://127.0.0.1:9'

let csp: CspProcess
beforeAll(async () => {
  // Each scenario has CLIs of its own.
  csp = await startCsp({ standInUrl: noStandIn, flags: ['--sandbox', '--rate', '0', ...oneSearchServer] })
})
afterAll(() => csp.stop())

const reply = z.looseObject({
  results: z.array(z.unknown()).optional(),
  error: z.looseObject({ code: z.string() }).optional(),
})

/** A list of results in a scenario: the status, the code of an error or the number of rows, and the headers. */
async function list(url: string, scenario: string | undefined, query = 'seals') {
  const headers = scenario === undefined ? {} : { 'x-csp-sandbox': scenario }
  const response = await fetch(`${url}/v1/search?count=3&q=${encodeURIComponent(query)}`, { headers })
  const { results, error } = reply.parse(await response.json())
  return { outcome: [response.status, error?.code ?? results?.length], headers: response.headers }
}

describe('each scenario over HTTP, on the backend that needs no CLI', () => {
  let messages: CspProcess
  beforeAll(async () => {
    const flags = ['--sandbox', '--backends', 'messages', '--rate', '0', '--timeout', '5']
    messages = await startCsp({ standInUrl: noStandIn, flags })
  })
  afterAll(() => messages.stop())

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
    'non-compliant': found,
    preamble: found,
    'invented-url': found,
    'trailing-sources': found,
    'max-tokens': found,
    refusal: [502, 'ungrounded'],
    'use-tool': found,
    'use-two-tools': found,
    'pause-turn': found,
  }

  test.each(scenarios)('%s', async (scenario) => {
    expect((await list(messages.url, scenario)).outcome).toEqual([...outcomes[scenario]])
  })
})

describe('a scenario through the CLI', () => {
  test.each([
    ['error-401', 503, /not signed in/],
    ['error-429-week', 429, /usage limit .*Resets (at|in) /],
    ['error-extra-usage', 429, /extra usage .* is used up/],
    ['error-credit-balance', 429, /credit balance .* is too low/],
    ['refusal', 502, /without searching/],
    // csp keeps the CLIs of the last ones, and the tests below ask for these two again.
    ['error-529', 503, /overloaded/],
    ['error-429', 429, /usage limit .*Resets (at|in) /],
  ] as const)('%s reaches the client of OpenAI as its error %i', async (scenario, status, message) => {
    const openai = new OpenAI({
      apiKey: 'local',
      baseURL: `${csp.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-csp-sandbox': scenario },
    })
    const messages = [{ role: 'user', content: 'Why do seals sleep?' }] as const
    const error = await openai.chat.completions
      .create({ model: 'sonar', messages: [...messages] })
      .catch((thrown: unknown) => thrown)
    if (!(error instanceof OpenAI.APIError)) throw error
    expect([error.status, error.message]).toEqual([status, expect.stringMatching(message)])
    const seconds = Number(error.headers?.get('retry-after'))
    if (scenario === 'error-429') expect(seconds).toBeGreaterThan(3000)
    if (scenario === 'error-429-week') expect(seconds).toBeGreaterThan(250_000)
  })

  test('is neither kept by the cache nor answered from it', async () => {
    expect((await list(csp.url, undefined, 'otters')).headers.get('x-cache')).toBe('miss')
    expect((await list(csp.url, 'error-529', 'otters')).outcome).toEqual([503, 'unavailable'])
    const empty = await list(csp.url, 'empty', 'herons')
    expect([empty.outcome, empty.headers.get('x-cache')]).toEqual([[200, 0], null])
    expect((await list(csp.url, undefined, 'herons')).outcome).toEqual([200, 3])
    expect((await list(csp.url, undefined, 'otters')).headers.get('x-cache')).toBe('hit')
  })

  test('shuts nobody out: after seven failures others search, and so does the same scenario', async () => {
    for (let round = 0; round < 7; round++) {
      expect((await list(csp.url, 'error-429', `geese ${round}`)).outcome).toEqual([429, 'rate_limited'])
    }
    expect((await list(csp.url, undefined, 'geese')).outcome).toEqual([200, 3])
    const health = await (await fetch(`${csp.url}/health/ready`)).json()
    expect(health).toMatchObject({ status: 'ok' })
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

test('the stand-in takes the time that --sandbox=PACE names', async () => {
  const flags = ['--sandbox=search=600000', '--backends', 'messages', '--timeout', '1']
  const slow = await startCsp({ standInUrl: noStandIn, flags })
  try {
    expect((await list(slow.url, undefined)).outcome).toEqual([504, 'timeout'])
  } finally {
    await slow.stop()
  }
})

test('an unknown scenario is an error in the client’s own class, which names those that exist', async () => {
  const defaultHeaders = { 'x-csp-sandbox': 'error-418' }
  const openai = new OpenAI({ apiKey: 'local', baseURL: `${csp.url}/v1`, maxRetries: 0, defaultHeaders })
  const request = openai.responses.create({ model: 'sonar', input: 'Seals?' })
  const error = await request.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(String(error)).toMatch(/no scenario 'error-418'.*error-429/)
})
