import { edenGC } from 'bun:jsc'
import { describe, expect, jest, test } from 'bun:test'
import type { ClientTools } from '../../../../../src/executor/answer/client-tools.ts'
import { ClientLink, Controls, TurnInterruption } from '../../../../../src/executor/backends/claude/worker/controls.ts'
import { failureOf } from '../../../../support/failure-of.ts'

function createControls() {
  const written: { readonly request_id: string }[] = []
  const controls = new Controls((message) => void written.push(message as { request_id: string }))
  return { controls, written }
}

test('answers go to the requests that they name, in whatever order, once', async () => {
  const { controls, written } = createControls()
  const [first, second] = [controls.request({ subtype: 'get_usage' }), controls.request({ subtype: 'list_models' })]
  const [one = '', other = ''] = written.map(({ request_id }) => request_id)
  controls.settle('nobody', 'No.')
  controls.settle(other, undefined, { models: [] })
  controls.settle(other, 'No.')
  controls.settle(one, undefined, { used: 1 })
  expect(await Promise.all([first, second])).toEqual([{ used: 1 }, { models: [] }])
})

test('all requests to a CLI that has ended fail, also later ones', async () => {
  const { controls, written } = createControls()
  const waiting = failureOf(controls.request({ subtype: 'get_usage' }))
  controls.end()
  expect(await waiting).toMatchObject({ code: 'failed' })
  expect(await failureOf(controls.request({ subtype: 'get_usage' }))).toMatchObject({ code: 'failed' })
  expect(written).toHaveLength(1)
})

test('a refusal has its first 200 characters for the caller alone; an API out of reach keeps its code', async () => {
  const refused = async (error: string) => {
    const { controls, written } = createControls()
    const failure = controls.request({ subtype: 'set_model', model: 'opus' }).catch((reason: unknown) => reason)
    controls.settle(written[0]?.request_id ?? '', error)
    return failure
  }
  expect(await refused(`${'x'.repeat(200)}y`)).toMatchObject({
    code: 'failed',
    message: `Claude refused set_model: ${'x'.repeat(200)}`,
    forOthers: 'Claude refused set_model.',
  })
  expect(await refused('API Error: 529 Overloaded')).toMatchObject({ code: 'unavailable' })
})

test('a request that was answered is forgotten', async () => {
  const { controls, written } = createControls()
  const requests: WeakRef<object>[] = []
  const ask = () => {
    for (let count = 0; count < 100; count++) {
      const request = { subtype: 'get_usage', count } as const
      requests.push(new WeakRef(request))
      void controls.request(request)
    }
    for (const { request_id } of written.splice(0)) controls.settle(request_id, undefined)
  }
  ask()
  await turns()
  edenGC() // of what is new; a whole one takes seconds
  expect(requests.filter((request) => request.deref()).length).toBeLessThan(50) // a few may still stand on the stack
})

/** Lets everything happen that waits for nothing but its turn. */
const turns = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('the tools of a caller', () => {
  const toolsNamed = (name: string, listed = Promise.resolve(), reply?: object) =>
    ({ names: [name], listed, answer: () => reply }) as unknown as ClientTools

  /** A link to a CLI that does what the test says: the requests that it has got, and its answers to the last one. */
  function createLink() {
    const written: { readonly request_id: string; readonly request: { readonly servers: object } }[] = []
    const controls = new Controls((message) => void written.push(message as (typeof written)[0]))
    const exited = Promise.withResolvers<void>()
    const link = new ClientLink(controls, exited.promise)
    const settle = async (error?: string) => {
      controls.settle(written.at(-1)?.request_id ?? '', error)
      await turns()
    }
    const servers = () => written.map(({ request }) => Object.keys(request.servers))
    return { link, written, servers, settle, exit: exited.resolve }
  }

  test('leave the CLI before the next ones are known, which are in use once the CLI has listed them', async () => {
    const { link, servers, settle } = createLink()
    expect(link.names).toEqual([])
    const listed = Promise.withResolvers<void>()
    const [a, b] = [toolsNamed('a'), toolsNamed('b', listed.promise)]
    const first = link.use(a)
    await turns()
    await settle()
    await first
    let isInUse = false
    const second = link.use(b).then(() => {
      isInUse = true
    })
    await turns()
    expect([link.names, servers()]).toEqual([['a'], [['client'], []]])
    await settle()
    expect([link.names, servers()]).toEqual([['b'], [['client'], [], ['client']]])
    await settle()
    expect(isInUse).toBe(false)
    listed.resolve()
    await second
    await link.use(b)
    expect(servers()).toHaveLength(3)
    const third = link.use(undefined)
    await turns()
    await settle()
    await third
    expect([link.names, servers().slice(3)]).toEqual([[], [[]]])
  })

  test('are not in use where the CLI refuses them, or ends before it has listed them; others may follow', async () => {
    const { link, settle, exit } = createLink()
    const refused = failureOf(link.use(toolsNamed('a')))
    await turns()
    await settle('No.')
    expect(await refused).toMatchObject({ code: 'failed' })
    const lost = failureOf(link.use(toolsNamed('b', new Promise(() => {}))))
    await turns()
    await settle()
    await settle()
    exit()
    expect(await lost).toMatchObject({ code: 'unavailable', message: 'The Claude worker ended.' })
  })

  test.each([
    ['a message to them', toolsNamed('a', undefined, { result: {} }), { method: 'ping' }, 'success'],
    ['a call of one, which only the caller answers', toolsNamed('a'), { method: 'tools/call' }, undefined],
    ['no message', toolsNamed('a'), undefined, 'error'],
    ['a message where there are none', undefined, { method: 'ping' }, 'error'],
  ] as const)('answer the CLI: %s', async (_, tools, message, subtype) => {
    const { link, written, settle } = createLink()
    const using = link.use(tools)
    await turns()
    await settle()
    await using
    written.splice(0)
    link.answer('r1', message)
    const outcome = { request_id: 'r1', ...(subtype === 'success' && { response: { mcp_response: { result: {} } } }) }
    expect(written as unknown[]).toMatchObject(
      subtype ? [{ type: 'control_response', response: { subtype, ...outcome } }] : [],
    )
    expect(written).toHaveLength(subtype ? 1 : 0)
  })
})

test('a turn is asked once to end, and once more if it begins only then; a CLI that does not end it is given up', () => {
  jest.useFakeTimers()
  try {
    const said: string[] = []
    const interruption = new TurnInterruption(
      () => said.push('ask'),
      () => said.push('give up'),
    )
    interruption.turnBegins()
    interruption.begin()
    interruption.begin()
    jest.advanceTimersByTime(1999)
    interruption.turnBegins()
    expect(said.splice(0)).toEqual(['ask', 'ask'])
    interruption.end()
    jest.advanceTimersByTime(60_000)
    interruption.turnBegins()
    expect(said).toEqual([])
    interruption.begin()
    jest.advanceTimersByTime(1999)
    expect(said).toEqual(['ask'])
    jest.advanceTimersByTime(1)
    expect(said).toEqual(['ask', 'give up'])
  } finally {
    jest.useRealTimers()
  }
})
