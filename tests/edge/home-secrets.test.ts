import { afterEach, expect, test } from 'bun:test'
import { connectHome, type HomeLink } from '../../src/runtime/server/tunnel/connect-home.ts'
import { States } from '../tunnel/support/edge.ts'
import { connectSecret, type Edge, startEdge, withKey } from './support/edge.ts'

const deskSecret = 'what-the-desk-alone-knows'

const links: HomeLink[] = []
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.stop(AbortSignal.abort())))
})

function connect(edge: Edge, home: string, secret: string): States {
  const states = new States()
  const place = { url: edge.url, secret, home, capacity: 1, random: () => 0 }
  links.push(connectHome({ ...place, handler: () => new Response(), onState: states.add }))
  return states
}

async function connected(edge: Edge): Promise<unknown> {
  const health = await (await fetch(`${edge.url}/health`, { headers: withKey })).json()
  return Object.keys(Object(health).backends[0].engines ?? {})
}

test('a home with a secret of its own is let in with that one only, and no other home with it', async () => {
  await using edge = await startEdge({ variables: { CSP_HOME_SECRETS: `desk=${deskSecret}` } })
  for (const [home, secret] of [
    ['desk', connectSecret],
    ['attic', deskSecret],
  ] as const) {
    const { refusal } = await connect(edge, home, secret).reached('refused')
    expect(refusal).toMatchObject({ code: 'login', message: expect.stringContaining('Invalid login') })
  }
  expect(await connected(edge)).toEqual([])
  await connect(edge, 'desk', deskSecret).reached('connected')
  await connect(edge, 'attic', connectSecret).reached('connected')
  expect(await connected(edge)).toEqual(['desk', 'attic'])
})

test('a home whose secret is taken away is out with the deployment that this is, and the others come back', async () => {
  const before = await startEdge({ variables: { CSP_HOME_SECRETS: `desk=${deskSecret}` } })
  const desk = connect(before, 'desk', deskSecret)
  const attic = connect(before, 'attic', connectSecret)
  await Promise.all([desk.reached('connected'), attic.reached('connected')])
  await before.stop()
  await using after = await startEdge({ port: before.port })
  expect((await desk.reached('refused')).refusal.code).toBe('login')
  await attic.reached('connected', 2)
  expect(await connected(after)).toEqual(['attic'])
})

test('an edge whose list of secrets cannot be read lets no home in, and says so', async () => {
  await using edge = await startEdge({ variables: { CSP_HOME_SECRETS: 'desk=short' } })
  const { refusal } = await connect(edge, 'attic', connectSecret).reached('refused')
  expect(refusal).toMatchObject({ code: 'malformed-secrets', message: expect.stringContaining('CSP_HOME_SECRETS') })
})
