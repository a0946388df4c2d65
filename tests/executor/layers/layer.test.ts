import { expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import type { Executor, Layer } from '../../../src/executor/executor.ts'
import { inLanguage, instructed, merging } from '../../../src/executor/layers/instructed.ts'
import { layer } from '../../../src/executor/layers/layer.ts'
import { sayingWho, writersOfTexts } from '../../../src/executor/layers/named-writers.ts'
import { fakeExecutor, requestFor } from '../../support/fake-executor.ts'

const { signal } = new AbortController()
const context = { signal }

/** What becomes of a request behind a layer, when it is searched and when it is asked whether it can be. */
async function behind(change: Layer, rest: Partial<SearchRequest>) {
  const seen: SearchRequest[] = []
  const fake = fakeExecutor()
  const inner: Executor = { ...fake, supports: (request) => seen.push(request) > 0 }
  const executor = change(inner)
  const request = requestFor('q', rest)
  expect(executor.supports?.(request)).toBe(true)
  await collect(executor.search(request, context))
  expect(fake.requests).toEqual(seen)
  const { query: _, history: __, effort: ___, want: ____, ...others } = seen[0] ?? request
  return others
}

test('the instructions of the operator stand before those of the caller, in answers alone', async () => {
  const own = instructed('Be kind.')
  expect(await behind(own, { want: 'answer' })).toEqual({ filters: {}, instructions: 'Be kind.' })
  expect(await behind(own, { want: 'answer', instructions: 'Be brief.' })).toEqual({
    ...{ filters: {}, instructions: 'Be kind.\n\nBe brief.' },
  })
  for (const want of ['results', 'text'] as const) expect(await behind(own, { want })).toEqual({ filters: {} })
})

test('the usual language is that of searches that name none', async () => {
  const german = inLanguage('de')
  expect(await behind(german, { filters: { country: 'AT' } })).toEqual({ filters: { country: 'AT', language: 'de' } })
  expect(await behind(german, { filters: { language: 'fr' } })).toEqual({ filters: { language: 'fr' } })
  expect(await behind(german, { want: 'text' })).toEqual({ filters: {} })
})

test('the usual number of merged lists is that of searches that do not say', async () => {
  const two = merging(2)
  expect(await behind(two, {})).toEqual({ filters: {}, merge: 2 })
  expect(await behind(two, { merge: 1 })).toEqual({ filters: {}, merge: 1 })
  expect(await behind(two, { want: 'text' })).toEqual({ filters: {} })
  expect(await behind(two, { want: 'answer', sources: [] })).toEqual({ filters: {}, sources: [] })
})

test('a layer leaves everything to the executor within, but for what it does itself', async () => {
  const fake = fakeExecutor()
  const request = requestFor('q')
  const plain = layer(fake, { search: fake.search })
  expect([plain.name, plain.supports?.(request), await plain.answers?.(request, context), plain.prepare]).toEqual([
    ...['fake', true, true, undefined],
  ])
  expect(await plain.health()).toEqual(await fake.health())
  const prepared = { release() {} }
  const inner = { ...fake, supports: () => false, answers: async () => false, prepare: async () => prepared }
  const whole = layer(inner, { search: fake.search })
  expect([whole.supports?.(request), await whole.answers?.(request, context)]).toEqual([false, false])
  expect(await whole.prepare?.(request, context)).toBe(prepared)
  expect(layer(inner, { search: fake.search, supports: () => true }).supports?.(request)).toBe(true)
  await plain.close()
  expect(fake.closed).toBe(true)
})

test('a writer that is no backend makes texts alone, and is never what makes csp ready', async () => {
  const [backend, writer] = [fakeExecutor(undefined, 'backend'), fakeExecutor(undefined, 'writer')]
  const choosy: Executor = { ...fakeExecutor(undefined, 'choosy'), supports: ({ model }) => model === 'opus' }
  const texts = writersOfTexts([backend, writer, choosy], [backend])
  expect(texts.map(({ name }) => name)).toEqual(['writer', 'choosy'])
  const supports = (rest: Partial<SearchRequest>) => texts.map((one) => one.supports?.(requestFor('q', rest)))
  expect(supports({ want: 'text' })).toEqual([true, false])
  expect(supports({ want: 'text', model: 'opus' })).toEqual([true, true])
  expect(supports({ want: 'answer', model: 'opus' })).toEqual([false, false])
  expect(await texts[0]?.health()).toEqual({ ready: false, backends: [{ name: 'writer', ready: true }] })
})

test('the health says which of its backends write, under the name of all', async () => {
  const [first, second] = [fakeExecutor(undefined, 'first'), fakeExecutor(undefined, 'second')]
  const backends = [first, second].map(({ name }) => ({ name, ready: true }))
  const inner = { ...first, health: async () => ({ ready: true, backends }) }
  const named = sayingWho([second], [first, second], inner)
  expect(named.name).toBe('first, second')
  expect(await named.health()).toEqual({
    ready: true,
    backends: [
      { name: 'first', ready: true },
      { name: 'second', ready: true, writes: true },
    ],
  })
})
