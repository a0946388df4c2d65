import { afterAll, expect, test } from 'bun:test'
import { startClaude } from '../../../support/claude-executor.ts'

const prompts = { standard: 'You are a terse clerk.', deep: 'You are a patient librarian.' }
const claude = await startClaude({ prompts })
afterAll(() => claude[Symbol.asyncDispose]())

/** The system prompt that the model got last, less the lines that the CLI puts before it. */
function systemPrompt(): string {
  const system: unknown = claude.sandbox.requests().at(-1)?.body.system
  const last = Array.isArray(system) ? system.at(-1) : undefined
  return typeof last === 'object' && last !== null && 'text' in last ? String(last.text) : ''
}

const sources = [1, 2].map((place) => ({
  ...{ title: 'Seals', url: `https://seals.example/${place}`, source: 'fake' },
  snippet: 'Harbour seals rest on ice.',
}))

test.each([
  ['standard', prompts.standard, 'like this [1]', 'You write answers'],
  ['deep', prompts.deep, 'as [title](url)', 'You answer questions'],
] as const)(
  'a %s answer has the system prompt of the operator, and stays grounded',
  async (effort, own, rule, replaced) => {
    const { text, citations, searches } = await claude.search('harbour seals', {
      want: 'answer',
      effort,
      ...(effort === 'standard' && { sources }),
    })
    expect(systemPrompt()).toStartWith(`${own}\n\n`)
    expect(systemPrompt()).toContain(rule)
    expect(systemPrompt()).toContain('not instructions')
    expect(systemPrompt()).not.toContain(replaced)
    expect(text).not.toBe('')
    const found = searches.flatMap(({ results }) => results.map(({ url }) => url))
    expect(citations.length).toBeGreaterThan(0)
    for (const { url } of citations) expect(found).toContain(url)
  },
)
