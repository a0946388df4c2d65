import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { lastUserTurn } from '../../packages/sandbox/src/messages-request.ts'
import type { Sandbox } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { collect, sourcesOf } from '../../src/domain/answer.ts'
import type { SearchEvent, SearchRequest, Tool } from '../../src/domain/search.ts'
import { failureOf } from '../support/failure-of.ts'

/** A backend whose model writes the reply, on a sandbox that plays the model. */
export interface ReplyFixture {
  readonly sandbox: Sandbox
  /** One written reply. */
  reply(request: Partial<SearchRequest>): AsyncIterable<SearchEvent>
  dispose(): Promise<void>
}

export interface ReplyContractOptions {
  readonly create: () => ReplyFixture | Promise<ReplyFixture>
  /** Whether the model itself has to search before it writes. */
  readonly searches: boolean
  /** Whether a reply without a search is made in another way, in place of being asked for once more. */
  readonly hasOtherWay?: boolean | undefined
  /** Whether the pages come beside the request, and are reported by whoever found them. */
  readonly hasOwnSources?: boolean | undefined
  /** How long one test may take. */
  readonly timeoutMs?: number | undefined
}

/** Registers the tests that every backend with a model must pass: when it asks the model once more, and when it does not. */
export function replyContract(
  name: string,
  { create, searches, hasOtherWay, hasOwnSources, timeoutMs }: ReplyContractOptions,
): void {
  let fixture: ReplyFixture
  const own = hasOwnSources ? [{ id: 'sources' }] : []
  const check = (title: string, body: () => Promise<void>): void => test(title, body, timeoutMs)
  const search = (request: Partial<SearchRequest> = {}) => collect(fixture.reply(request))

  describe(`the replies of ${name}`, () => {
    beforeAll(async () => {
      fixture = await create()
    }, timeoutMs)
    beforeEach(() => fixture.sandbox.reset())
    afterAll(() => fixture.dispose())

    const requirements = {
      'a text': {},
      'a tool call': { tools: [tool], toolChoice: 'required' },
      JSON: { schema },
    } as const

    for (const [required, request] of Object.entries(requirements)) {
      check(`end with a refusal where ${required} is required and the model refuses, after one turn`, async () => {
        fixture.sandbox.configure({ scenario: 'refusal' })
        expect(await search(request)).toMatchObject({ reason: 'refusal', searches: own, toolCalls: [], citations: [] })
        expect(turnsOf(fixture.sandbox)).toBe(1)
      })
    }

    if (searches) {
      check('say that nothing was found where the searches found no page, whatever the model claims', async () => {
        fixture.sandbox.configure({ scenario: 'empty' })
        const { text, citations, reason } = await search()
        expect(text).toBe('The web search found no pages for this question.')
        expect({ citations, reason }).toEqual({ citations: [], reason: 'stop' })
      })
    }

    if (!hasOwnSources) {
      check('are written over the pages that a request has, without a search', async () => {
        const sources = ['one', 'two'].map((name) => ({
          ...{
            title: `About ${name}`,
            url: `https://example.com/${name}`,
            snippet: `Words of ${name}.`,
            source: 'fake',
          },
        }))
        const answer = await search({ want: 'answer', effort: 'deep', sources })
        expect(sourcesOf(answer.searches).map(({ url }) => url)).toEqual(sources.map(({ url }) => url))
        expect(answer.citations.map(({ number, url }) => [number, url])).toEqual([
          [1, 'https://example.com/one'],
          [2, 'https://example.com/two'],
        ])
        expect(answer.usage.searches).toBe(0)
        expect(turnsOf(fixture.sandbox)).toBe(1)
        expect(told(fixture.sandbox)).toContain('Words of two.')
      })
    }

    check('are asked for once more where the JSON does not fit, and then fail', async () => {
      fixture.sandbox.configure({ scenario: 'non-compliant' })
      const { code, message } = await failureOf(search({ schema }))
      expect({ code, message }).toEqual({ code: 'failed', message: expect.stringContaining('fits the schema') })
      expect(turnsOf(fixture.sandbox)).toBe(2)
      expect(told(fixture.sandbox)).toContain('What you wrote cannot be used as it is')
    })

    check('are asked for once more where a required tool is not called, and then fail without text', async () => {
      fixture.sandbox.configure({ scenario: 'non-compliant' })
      const events: SearchEvent[] = []
      const run = async () => {
        const request = { tools: [tool], toolChoice: 'required' } as const
        for await (const event of fixture.reply(request)) events.push(event)
      }
      const { code, message } = await failureOf(run())
      expect({ code, message }).toEqual({ code: 'failed', message: 'The model called no tool in two attempts.' })
      expect(turnsOf(fixture.sandbox)).toBe(2)
      expect(events.filter(({ type }) => type !== 'backend' && !type.startsWith('search-'))).toEqual([])
      expect(told(fixture.sandbox)).toContain('You called none.')
    })

    check('end with the required tool call, without a correction', async () => {
      const { reason, toolCalls } = await search({ tools: [tool], toolChoice: { name: tool.name } })
      expect({ reason, names: toolCalls.map((call) => call.name) }).toEqual({
        reason: 'tool-calls',
        names: [tool.name],
      })
      expect(turnsOf(fixture.sandbox)).toBe(1)
    })

    if (!searches) return

    check('are made once more without a search, in a conversation that forgets the text', async () => {
      fixture.sandbox.configure({ scenario: [{ scenario: 'no-search', times: 1 }] })
      const { text, reason, usage } = await search()
      expect({ reason, searches: usage.searches }).toEqual({ reason: 'stop', searches: 1 })
      expect(text).not.toMatch(unsearched)
      if (!hasOtherWay) expect(told(fixture.sandbox)).toMatch(/You must call (?:WebSearch|web_search)/)
      expect(told(fixture.sandbox)).not.toMatch(unsearched)
      expect(turnsOf(fixture.sandbox)).toBe(2)
    })

    check('are ungrounded when the second one does not search either', async () => {
      fixture.sandbox.configure({ scenario: 'no-search' })
      expect((await failureOf(search())).code).toBe('ungrounded')
      if (!hasOtherWay) expect(turnsOf(fixture.sandbox)).toBe(2)
    })

    const failures = { 'search-too-many-requests': 'unavailable', 'search-unavailable': 'unavailable' } as const
    for (const [scenario, code] of Object.entries(failures)) {
      check(`fail as the search does, after one turn, on ${scenario}`, async () => {
        fixture.sandbox.configure({ scenario: scenario as keyof typeof failures }) // of Object.entries
        expect((await failureOf(search())).code).toBe(code)
        expect(turnsOf(fixture.sandbox)).toBe(1)
      })
    }
  })
}

const tool: Tool = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }
const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }
/** What the sandbox writes in the scenario `no-search`. */
const unsearched = /without a search|no search was made/

/** How often the model was prompted. The CLI's own calls, and those that it repeats by itself, are part of a turn. */
function turnsOf(sandbox: Sandbox): number {
  const isSearchOfTheCli = (text: string) => text.startsWith('Perform a web search')
  const prompts = sandbox
    .requests()
    .map(({ body }) => lastUserTurn(body))
    .filter(({ text, toolResults }) => toolResults.length === 0 && !isSearchOfTheCli(text))
  return new Set(prompts.map(({ text }) => text)).size
}

/** What the model was told in its last call. */
function told(sandbox: Sandbox): string {
  return JSON.stringify(sandbox.requests().at(-1)?.body.messages)
}
