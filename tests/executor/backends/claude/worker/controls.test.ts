import { expect, test } from 'bun:test'
import { Controls } from '../../../../../src/executor/backends/claude/worker/controls.ts'
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
