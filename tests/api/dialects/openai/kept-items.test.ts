import { describe, expect, test } from 'bun:test'
import { KeptItems } from '../../../../src/api/dialects/openai/kept-items.ts'
import { testApp } from '../../test-app.ts'

const message = (id: string, text: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const reference = (id: string) => [{ type: 'item_reference', id }] as never
const path = '/v1/responses'

describe('the items of a response', () => {
  test('can be referred to for an hour', () => {
    let now = 0
    const kept = new KeptItems(() => now)
    kept.keep([message('msg_1', 'Hello.'), { id: 'ws_1', type: 'web_search_call' }])
    expect(kept.resolve(reference('msg_1'))).toMatchObject([{ type: 'message', role: 'assistant', id: 'msg_1' }])
    expect(kept.resolve(reference('ws_1'))).toEqual(reference('ws_1'))
    now = 3_600_001
    expect(kept.resolve(reference('msg_1'))).toEqual(reference('msg_1'))
  })

  test('are dropped, the oldest first, when there are many or they are large', () => {
    const kept = new KeptItems(() => 0)
    for (let count = 0; count <= 1000; count++) kept.keep([message(`msg_${count}`, 'x')])
    expect(kept.resolve(reference('msg_0'))).toEqual(reference('msg_0'))
    expect(kept.resolve(reference('msg_1'))).toMatchObject([{ type: 'message' }])
    kept.keep([message('large', 'x'.repeat(3_990_000))])
    expect(kept.resolve(reference('msg_500'))).toEqual(reference('msg_500'))
    expect(kept.resolve(reference('large'))).toMatchObject([{ type: 'message' }])
  })
})

describe('a reference in a request', () => {
  const question = { role: 'user', content: 'And when?' }
  const ask = async (app: ReturnType<typeof testApp>, id: string) =>
    app.post(path, { input: [{ role: 'user', content: 'Who?' }, { type: 'item_reference', id }, question] })

  test('to an item of an earlier reply is replaced by its text', async () => {
    const app = testApp()
    const { body } = await app.post(path, { model: 'sonar', input: 'Who?' })
    const { headers } = await ask(app, body.output.at(-1).id)
    expect(headers.get('x-csp-ignored')).toBeNull()
    expect(app.executor.requests.at(-1)?.history).toEqual([
      { role: 'user', text: 'Who?' },
      { role: 'assistant', text: 'It is 🙂 so [2].' },
    ])
  })

  test('cannot be made up from the id of a request, which logs and headers have', async () => {
    const app = testApp()
    const { headers } = await app.post(path, { model: 'sonar', input: 'Who?' })
    for (const count of [0, 1, 2]) await ask(app, `msg_${headers.get('x-request-id')}_${count}`)
    expect(app.executor.requests.slice(1).map(({ history }) => history.length)).toEqual([1, 1, 1])
  })

  test.each([
    ['of a reply that was not to be stored', { store: false }],
    ['that is not known', undefined],
  ])('to an item %s is left out and named', async (_name, more) => {
    const app = testApp()
    const { body } = await app.post(path, { model: 'sonar', input: 'Who?', ...more })
    const { status, headers } = await ask(app, more ? body.output.at(-1).id : 'msg_other')
    expect([status, headers.get('x-csp-ignored')]).toEqual([200, 'input[1]'])
    expect(app.executor.requests.at(-1)?.history).toEqual([{ role: 'user', text: 'Who?' }])
  })
})
