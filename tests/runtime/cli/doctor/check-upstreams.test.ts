import { expect, test } from 'bun:test'
import { checkUpstreams } from '../../../../src/runtime/cli/doctor/check-upstreams.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'

const listing = (...ids: readonly string[]) => Response.json({ data: ids.map((id) => ({ id })) })

async function check(reply: () => Response, more: Readonly<Record<string, string>> = {}) {
  await using server = serveApi(reply)
  const environment = {
    HOME: '/nowhere',
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'qwen3',
    ...more,
  }
  const findings = await checkUpstreams(loadConfig({}, environment, '/').config, environment)
  return { findings, requests: server.requests }
}

test('doctor finds a usable upstream without a call of a model', async () => {
  const { findings, requests } = await check(() => listing('qwen3:latest', 'other'), { OPENAI_API_KEY: 'the-key' })
  const message = expect.stringMatching(/local at 127.* accepts the key .*\b2 models$/)
  expect(findings).toEqual([{ status: 'ok', check: 'gateway', message }])
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/v1/models'])
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer the-key')
})

test('doctor names the keys that are rejected by their ends', async () => {
  const keys = ['sk-first-key-of-mine-aaaa', 'sk-second-key-of-mine-bbbb']
  await using server = serveApi(({ headers }) =>
    headers.get('authorization')?.endsWith('aaaa') ? listing('m') : new Response('', { status: 401 }),
  )
  const environment = { HOME: '/nowhere', CSP_GATEWAY: JSON.stringify([{ name: 'a', url: `${server.url}/v1`, keys }]) }
  const findings = await checkUpstreams(loadConfig({}, environment, '/').config, environment)
  expect(findings).toMatchObject([{ status: 'warn', message: expect.stringMatching(/rejects 1 key of 2: …bbbb$/) }])
  expect(JSON.stringify(findings)).not.toContain(keys[1] ?? '')
})

test.each([
  ['a key that is refused', () => new Response('', { status: 401 }), { OPENAI_API_KEY: 'k' }, 'fail', /rejects.* 401/],
  [
    'a key that is forbidden',
    () => new Response('', { status: 403 }),
    { OPENAI_API_KEY: 'k' },
    'fail',
    /rejects.* 403/,
  ],
  ['a key that is missing', () => new Response('', { status: 401 }), {}, 'fail', /requires a key/],
  ['no list', () => new Response('<html>'), {}, 'warn', /status 200/],
  ['another path', () => new Response('', { status: 404 }), {}, 'warn', /status 404/],
  ['no such model', () => listing('a', 'b'), {}, 'warn', /does not list qwen3,/],
  ['no such writer', () => listing('qwen3'), { CSP_WRITERS: 'local/tiny' }, 'warn', /\btiny\b.* write/],
  ['no name of a writer', () => listing('qwen3'), { CSP_WRITERS: 'other/x' }, 'fail', /needs an upstream "other"/],
  ['nobody', () => listing(), { OPENAI_BASE_URL: 'http://127.0.0.1:9' }, 'fail', /cannot be reached/],
] as const)(
  'doctor names what is wrong with an upstream that has %s, and the fix',
  async (_name, reply, more, status, message) => {
    const { findings } = await check(reply, more)
    expect(findings).toEqual([
      { status, check: 'gateway', message: expect.stringMatching(message), remedy: expect.stringMatching(/./) },
    ])
  },
)

test('doctor asks an upstream of the list by its own shape, and for the models that others fall back on', async () => {
  await using one = serveApi(() => listing('big'))
  await using two = serveApi(() => listing('small'))
  const list = [
    { name: 'one', url: `${one.url}/api`, shape: 'native', models: { opus: ['big', 'two/tiny'] } },
    { name: 'two', url: `${two.url}/api`, models: { haiku: 'small' } },
  ]
  const environment = { HOME: '/nowhere', CSP_GATEWAY: JSON.stringify(list) }
  const findings = await checkUpstreams(loadConfig({}, environment, '/').config, environment)
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'warn'])
  expect(findings[1]?.message).toContain('does not list tiny,')
  expect([...one.requests, ...two.requests].map(({ url }) => url.pathname)).toEqual(['/api/v1/models', '/api/models'])
})

test('without a gateway doctor says nothing of it, and a missing key is named', async () => {
  const of = (environment: Readonly<Record<string, string>>) =>
    checkUpstreams(loadConfig({}, environment, '/').config, environment)
  expect(await of({ HOME: '/nowhere' })).toEqual([])
  expect(await of({ HOME: '/nowhere', OPENAI_BASE_URL: 'https://api.openai.com/v1' })).toEqual([
    expect.objectContaining({ status: 'fail', message: expect.stringContaining('OPENAI_API_KEY') }),
  ])
})

test('doctor says what an upstream has, in place of a model that it lacks', async () => {
  const { findings } = await check(() => listing('a', 'b'))
  expect(findings[0]?.remedy).toMatch(/csp config set .*: a, b/)
  expect((await check(() => listing())).findings[0]?.remedy).not.toContain(':')
  expect((await check(() => listing('qwen3'))).findings[0]?.message).toMatch(/ answers and lists 1 model$/)
})

test('doctor asks an upstream only for its own models and writers, whatever their case', async () => {
  await using one = serveApi(() => listing('big', 'writer'))
  await using two = serveApi(() => listing('small', 'tiny'))
  const list = [
    { name: 'one', url: one.url, models: { opus: ['big', 'Two/tiny'], sonnet: 'big' } },
    { name: 'two', url: two.url, models: { haiku: 'small', opus: ['two/small', 'one/big'] } },
  ]
  const of = async (writers: string) => {
    const environment = { HOME: '/nowhere', CSP_GATEWAY: JSON.stringify(list), CSP_WRITERS: writers }
    const findings = await checkUpstreams(loadConfig({}, environment, '/').config, environment)
    return findings.map(({ status, message }) => `${status} ${/does not list ([^,]+),/.exec(message)?.[1] ?? ''}`)
  }
  expect(await of('one/writer,two/tiny')).toEqual(['ok ', 'ok '])
  expect(await of('one/tiny')).toEqual(['warn tiny', 'ok '])
  expect(await of('one/writer,Two/writer')).toEqual(['ok ', 'warn writer'])
})
