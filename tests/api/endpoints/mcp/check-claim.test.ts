import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { languages } from '../../../../packages/evidence/test/languages.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { citedAnswer, expectedVerdicts, pageUrl } from '../../../support/cited-answer.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const { page = '', right = [], wrong = [], invented = '' } = languages['en'] ?? {}
const [claim = ''] = right
const [[figure, missing] = ['', '']] = wrong
const urls = [pageUrl('en')]

/** The SDK's own client, which checks each structured reply against the schema of the tool. */
async function connect() {
  const pages = fakePageReader({ [pageUrl('en')]: page, [pageUrl('walled')]: new PageError('not-found', 'Gone.') })
  const options = { excerpts: { reader: pages, source: 'pages' as const }, evidence: {} }
  const executor = Object.assign(createStack([scriptedExecutor(citedAnswer('en'))], options), { requests: [] })
  const app = testApp(executor as never, { pages })
  const client = new Client({ name: 'test', version: '1' })
  const fetch = (target: string | URL, init?: RequestInit) => app.request(new URL(target).pathname, init)
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch })
  // The SDK's class says `sessionId: string | undefined` where its interface has an optional one.
  await client.connect(transport as Parameters<Client['connect']>[0])
  await client.listTools()
  return async (name: string, input: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: input })) as CallToolResult
}

describe('the MCP tool check_claim', () => {
  test('gives exactly the four verdicts', async () => {
    const call = await connect()
    const inputs = [
      { claim, urls },
      { claim: figure, urls },
      { claim: invented, text: page },
      { claim, urls: [` ${pageUrl('walled')}\n`] },
    ]
    const replies = await Promise.all(inputs.map((input) => call('check_claim', input)))
    const structured = replies.map(({ structuredContent }) => structuredContent as Record<string, unknown>)
    expect(structured.map((one) => one['verdict'] as never)).toEqual(expectedVerdicts as never)
    expect(structured[0]).toMatchObject({ passage: { source: 1 }, missing: [], sources: [{ number: 1, url: urls[0] }] })
    expect(structured[1]?.['missing']).toEqual([{ kind: 'number', text: missing }])
    expect(structured[3]?.['sources']).toMatchObject([{ error: 'Gone.' }])
    expect(JSON.stringify(replies[1]?.content)).toContain(`On none of the pages: the number ${missing}`)
  })

  test('names the words that no page has, which change nothing', async () => {
    const call = await connect()
    const text = 'It rained all day. The mill was sold to several shops in May.'
    const reply = await call('check_claim', { claim: 'The mill was sold to several banks in May.', text })
    expect(reply.structuredContent).toMatchObject({ verdict: 'found', unseen: ['banks'] })
    expect(JSON.stringify(reply.content)).toContain('To read again, words that no page has: banks')
    const same = await call('check_claim', { claim: 'The mill was sold to several shops in May.', text })
    expect(same.structuredContent).toMatchObject({ unseen: [] })
    expect(JSON.stringify(same.content)).not.toContain('words that no page has')
  })

  test('says what is wrong', async () => {
    const call = await connect()
    const eleven = Array.from({ length: 11 }, () => pageUrl('en'))
    for (const input of [{ claim }, { claim: ' ', urls }, { claim: 'a'.repeat(5001), urls }, { claim, urls: eleven }]) {
      const { isError, content } = await call('check_claim', input)
      expect(isError).toBe(true)
      expect(JSON.stringify(content)).toMatch(/claim|urls/)
    }
  })
})

test('ask_web says what of its answer is on the pages', async () => {
  const call = await connect()
  const { structuredContent, content } = await call('ask_web', { question: 'what was asked' })
  const { evidence } = structuredContent as { readonly evidence: readonly { readonly verdict: never }[] }
  expect(evidence.map(({ verdict }) => verdict)).toEqual(expectedVerdicts as never)
  expect(JSON.stringify(content)).toContain(
    `Check before use:\\n- on none of the pages that it cites: the number ${missing}`,
  )
})
