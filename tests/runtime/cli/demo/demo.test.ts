import { afterAll, expect, test } from 'bun:test'
import { walk } from '../../../../src/runtime/cli/demo/demo.ts'
import { testShell } from '../../test-shell.ts'

// What csp demo says of each reply, from a server that plays csp.

const rows = [{ title: 'Seals' }, { title: 7 }, 'x', { title: 'Tides' }]
const said = (message: object) => Response.json({ choices: [{ message }] })
const called = { function: { name: 'get_tide', arguments: '{"place":"Bergen"}' } }
const frame = (content: unknown) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

const asked: { method: string; path: string; headers: Headers; body: string }[] = []
let replies: (() => Response)[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    asked.push({
      method: request.method,
      path: pathname + search,
      headers: request.headers,
      body: await request.text(),
    })
    return replies[asked.length - 1]?.() ?? Response.json({})
  },
})
afterAll(() => server.stop(true))

async function walked(given: readonly (() => Response)[], columns = 80, signal = new AbortController().signal) {
  asked.length = 0
  replies = [...given]
  const shell = testShell({ environment: {}, directory: '/', columns })
  const failed = await walk(`http://127.0.0.1:${server.port}`, { shell, signal })
  return {
    failed,
    lines: shell
      .printed()
      .replaceAll(/\d+\.\d\d s/g, 'N s')
      .split('\n'),
  }
}

test('each search is shown with its call, its time and what it has found', async () => {
  const { failed, lines } = await walked([
    () => Response.json({ web: { results: rows } }),
    () => Response.json({ results: rows }),
    () => Response.json({ results: [{ title: 'x'.repeat(75) }] }),
    () => Response.json({ results: [{ title: 'y'.repeat(74) }] }),
    () => said({ content: 'They\ndiffer.' }),
    () => new Response(`${frame('In ')}: ping\n\n${frame(7)}${frame('water.')}data: [DONE]\n\n`),
    () => said({ content: 'Painters.' }),
    () => said({ tool_calls: [called] }),
  ])
  expect(failed).toBe(0)
  expect(lines).toEqual([
    ...['ok   Brave web search  GET /res/v1/web/search  N s', '     Seals · Tides'],
    ...['ok   Search  GET /v1/search  N s', '     Seals · Tides'],
    ...['ok   The same again, from the cache  GET /v1/search  N s', `     ${'x'.repeat(73)}…`],
    ...['ok   Perplexity search  POST /search  N s', `     ${'y'.repeat(74)}`],
    ...['ok   Perplexity sonar, fast  POST /chat/completions  N s', '     They differ.'],
    ...['ok   Perplexity sonar-pro, streamed  POST /chat/completions  N s', '     In water.'],
    ...['ok   OpenAI chat, deep  POST /v1/chat/completions  N s', '     Painters.'],
    ...['ok   OpenAI chat, with a function of yours  POST /v1/chat/completions  N s'],
    ...['     calls get_tide with {"place":"Bergen"}', ''],
  ])
  expect(asked.map(({ method, headers }) => [method, headers.get('x-subscription-token')])).toEqual([
    ...Array(3).fill(['GET', 'demo']),
    ...Array(5).fill(['POST', 'demo']),
  ])
  expect(JSON.parse(asked[5]?.body ?? '')).toMatchObject({ model: 'sonar-pro', stream: true })
  expect(JSON.parse(asked[7]?.body ?? '').tools[0].function).toMatchObject({ name: 'get_tide' })
})

test('one that fails or finds nothing is counted, with its reply, on a wide terminal too', async () => {
  const empty = () => Response.json({ choices: [{ message: { content: null } }], results: 'none' })
  const { failed, lines } = await walked(
    [() => new Response('z'.repeat(200), { status: 500 }), ...Array(7).fill(empty)],
    200,
  )
  expect(failed).toBe(8)
  const nothing = 'no result in: {"choices":[{"message":{"content":null}}],"results":"none"}'
  expect(lines.filter((line) => line.startsWith('     '))).toEqual([
    `     500: ${'z'.repeat(88)}…`,
    ...Array(4).fill(`     ${nothing}`),
    ...Array(3).fill(`     ${nothing}`),
  ])
  expect(lines.filter((line) => line.startsWith('fail '))).toHaveLength(8)
  expect((await walked([() => new Response('no JSON')])).lines[1]).toMatch(/JSON/)
})

test('Ctrl-C ends it, and what it has broken off did not fail', async () => {
  const stopped = new AbortController()
  const last = () => {
    stopped.abort()
    return Response.json({})
  }
  const { failed, lines } = await walked([() => Response.json({ web: { results: rows } }), last], 80, stopped.signal)
  expect([failed, lines.length, asked.length]).toEqual([0, 3, 2])
})
