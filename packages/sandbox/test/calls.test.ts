import { afterEach, describe, expect, jest, test } from 'bun:test'
import type { ReplyContext } from '../src/replies/context.ts'
import { textReply } from '../src/replies/write-reply.ts'
import { createSandbox } from '../src/sandbox.ts'
import type { Scenario } from '../src/scenario.ts'
import type { SandboxOptions } from '../src/settings.ts'
import { requestOf, sampleRequests } from './sample-requests.ts'

// Calls as programs make them that are not the CLI, and what the sandbox does with any call.

afterEach(() => {
  jest.useRealTimers()
})

const call = (options: SandboxOptions, signal = new AbortController().signal, stream = true) => {
  const body = JSON.stringify({ ...sampleRequests.write('Seals?'), stream })
  return createSandbox(options).fetch(new Request('http://sandbox/v1/messages', { method: 'POST', body, signal }))
}

test.each<[Scenario, number]>([
  ['error-400', 400],
  ['error-401', 401],
  ['error-403', 403],
  ['error-404', 404],
  ['error-413', 413],
  ['error-429', 429],
  ['error-429-week', 429],
  ['error-429-bare', 429],
  ['error-500', 500],
  ['error-529', 529],
  ['error-third-party', 400],
  ['error-extra-usage', 400],
  ['error-credit-balance', 400],
])('in the scenario %s the status is %d', async (scenario, status) => {
  expect((await call({ scenario: () => scenario })).status).toBe(status)
})

test('the sandbox says what it is, and knows no other page', async () => {
  const get = (path: string) => createSandbox().fetch(new Request(`http://sandbox${path}`))
  expect(await (await get('/')).text()).toBe('The sandbox of claude-search-proxy. Nothing here comes from the web.\n')
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) expect((await get(path)).status).toBe(404)
})

test('a caller that has gone gets 499, and a failure of the sandbox is one', async () => {
  const leaving = new AbortController()
  const hanging = call({ scenario: () => 'hang' }, leaving.signal)
  leaving.abort()
  expect((await hanging).status).toBe(499)
  const broken = () => {
    throw new Error('broken')
  }
  await expect(call({ onCall: broken })).rejects.toThrow('broken')
})

test('a reply takes the time of thinking and that of the first token, and in the scenario hang forever', async () => {
  jest.useFakeTimers()
  const pace = { models: { 'claude-test': { firstTokenMs: 300 } }, firstTokenMs: 7 }
  for (const [scenario, isThere] of [
    ['ok', true],
    ['hang', false],
  ] as const) {
    let reply: Response | undefined
    const started = Promise.withResolvers<void>()
    void call({ scenario: () => scenario, thinkMs: 1000, pace, onCall: () => started.resolve() }).then((response) => {
      reply = response
    })
    await started.promise
    const pass = async (ms: number) => {
      jest.advanceTimersByTime(ms)
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      return reply !== undefined
    }
    expect([await pass(1299), await pass(1), await pass(86_400_000)]).toEqual([false, isThere, isThere])
  }
})

test('in the scenario garbage no event is JSON', async () => {
  // A day between two events would be that of the scenario slow.
  const dataOf = async (scenario: Scenario) =>
    (await (await call({ scenario: () => scenario, deltaPauseMs: 86_400_000 })).text()).match(/(?<=^data: ).+$/gm) ?? []
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined
    } catch {
      return false
    }
  }
  const [fine, garbage] = [await dataOf('ok'), await dataOf('garbage')]
  expect([fine.length > 3, fine.every(isJson)]).toEqual([true, true])
  expect([garbage.length >= fine.length, garbage.some(isJson)]).toEqual([true, false])
})

const contextOf = (scenario: Scenario = 'ok'): ReplyContext => {
  let last = 0
  return { scenario, resultCount: 2, excerptLength: 0, now: new Date(0), newId: (prefix) => `${prefix}_${++last}` }
}

describe('a tool of the Messages API', () => {
  const schema = {
    properties: { question: { type: 'string' }, unit: { type: 'string' } },
    required: ['question'],
  }
  const tools = [
    { name: 'get_time', input_schema: {}, description: null },
    { name: 'get_weather', input_schema: schema },
    { type: 'bash_20250124', name: 'get_news' },
  ]
  const reply = (content: unknown, rest: object = {}, scenario: Scenario = 'ok') =>
    textReply(requestOf([{ role: 'user', content }], { tools, ...rest }), contextOf(scenario))
  const called = (question: string, rest: object = {}, scenario: Scenario = 'ok') =>
    reply(question, rest, scenario).flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
  const choose = (type: string, name?: string) => ({ tool_choice: { type, ...(name && { name }) } })

  test.each([
    ['Is the weather fine?', {}, ['get_weather']],
    ['Seals?', {}, []],
    ['Is the weather fine?', choose('auto'), ['get_weather']],
    ['Is the weather fine?', choose('none'), []],
    ['Seals?', choose('any'), ['get_time']],
    ['Is the weather fine?', choose('any'), ['get_weather']],
    ['Is the weather fine?', choose('tool', 'get_time'), ['get_time']],
    // The model runs those without a schema itself.
    ['What is the news?', {}, []],
    ['Seals?', choose('tool', 'get_news'), []],
  ])('is called where %j asks for it, or the choice %j demands it: %j', (question, rest, names) => {
    expect(called(question, rest)).toEqual(names)
  })

  test('gets what it requires alone, and at most a hundred letters of the question', () => {
    const [block] = reply(`Weather ${'b'.repeat(100)}?`)
    expect(block).toEqual({
      ...{ type: 'tool_use', id: 'toolu_1', name: 'get_weather' },
      input: { question: `Weather ${'b'.repeat(92)}` },
    })
  })

  test('is not called again once it has answered, and the answer quotes 200 letters of each result', () => {
    const results = ['r'.repeat(201), 'Rain'].map((content) => ({ type: 'tool_result', tool_use_id: 'a', content }))
    const messages = [
      { role: 'user', content: 'Is the weather fine?' },
      { role: 'assistant', content: 'I look.' },
      { role: 'user', content: results },
    ]
    expect(textReply(requestOf(messages, { tools }), contextOf())).toEqual([
      { type: 'text', text: `Sandbox answer: the tool gave “${'r'.repeat(200)}” and “Rain”.` },
    ])
  })
})

test('an answer after a search of the CLI names the pages that were found, or says that none were', () => {
  const answer = (result: string) => textReply(sampleRequests.afterSearch('Seals?', result), contextOf())
  expect(answer('Links: [{"title":"A","url":"https://a.example/"}]')).toEqual([
    {
      type: 'text',
      text: 'Sandbox answer: all of this is invented. According to [A](https://a.example/), so it is.',
    },
  ])
  const many = Array.from({ length: 5 }, (_, at) => ({ title: `T${at}`, url: `https://a.example/${at}` }))
  const [block] = answer(`Links: ${JSON.stringify(many)}`)
  expect(block?.type === 'text' && block.text.match(/T\d/g)).toEqual(['T0', 'T1', 'T2', 'T3'])
  expect(answer('Nothing.')).toEqual([{ type: 'text', text: 'Sandbox answer: no pages were found.' }])
})

test('the scenario recite cites by number, and by link where the pages have none', () => {
  const question = '<question>\nSeals swim [1] and dive [2]\n</question>'
  const numbered = '<sources>\n[1] A — https://a.example/\n[2] B — https://b.example/\n</sources>'
  const links = 'Links: [{"title":"A","url":"https://a.example/"},{"title":"B","url":"https://b.example/"}]'
  expect(textReply(sampleRequests.write(`${numbered}\n${question}`), contextOf('recite'))).toEqual([
    { type: 'text', text: 'Seals swim [1] and dive [2]' },
  ])
  expect(textReply(sampleRequests.afterSearch(question, links), contextOf('recite'))).toEqual([
    { type: 'text', text: 'Seals swim [A](https://a.example/) and dive [B](https://b.example/)' },
  ])
})

test('a schema that asks for searches or for judgements gets these, and any other an example', () => {
  const reply = (properties: object) => {
    const prompt = `<question>\nSeals\n</question>\n<schema>${JSON.stringify({ type: 'object', properties })}</schema>`
    const [block] = textReply(sampleRequests.write(prompt), contextOf())
    return block?.type === 'text' && JSON.parse(block.text)
  }
  expect(reply({ questions: { uniqueItems: true } })).toEqual({ questions: ['Overview: Seals'] })
  expect(reply({ judgements: {} })).toEqual({ judgements: [] })
  expect(reply({ answer: {} })).toEqual({ answer: 'Sandbox answer: “Seals”.' })
})
