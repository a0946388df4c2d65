import { afterEach, expect, spyOn, test } from 'bun:test'
import { cspAt, isCspAt } from '../../../src/runtime/server/csp-at.ts'

const servers: { stop(force: boolean): Promise<void> }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})

/** A server that answers so at `/health` and at `/health/live`, and what it was asked with. */
function serve(health: () => Response, live: () => Response = () => new Response('', { status: 404 })) {
  const asked: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url, headers }) {
      const { pathname } = new URL(url)
      asked.push(`${pathname} ${headers.get('authorization')}`)
      return pathname === '/health' ? health() : pathname === '/health/live' ? live() : new Response('elsewhere')
    },
  })
  servers.push(server)
  return { url: server.url.origin, asked }
}

const named = { headers: { 'x-csp': '1' } }

test.each<[object, boolean, object | undefined]>([
  [{ status: 'ok' }, false, undefined],
  [{ status: 'ok', version: '1.2.3' }, false, { version: '1.2.3', title: 'csp 1.2.3' }],
  [{ status: 'ok' }, true, { title: 'csp' }],
  [{ status: 'ok', sandbox: true, backends: [] }, true, { title: 'csp', isSandbox: true, isSignedOut: false }],
  [
    { status: 'ok', backends: [{ signed_in: true }, { signed_in: null }, {}] },
    true,
    { title: 'csp', isSignedOut: false },
  ],
  [{ status: 'ok', backends: [{ signed_in: true }, { signed_in: false }] }, true, { title: 'csp', isSignedOut: true }],
  [{ status: 'ok', refused_proxy: { problem: 'No key.' } }, true, { title: 'csp', refusedProxy: 'No key.' }],
  [
    { status: 'ok', searches: { status: 'limited', text: 'Later.', from_memory: true } },
    true,
    { title: 'csp', searches: { status: 'limited', text: 'Later.', fromMemory: true } },
  ],
  // A newer csp may say it otherwise.
  [{ status: 'ok', searches: 1, backends: 2, sandbox: 3, refused_proxy: 4 }, true, { title: 'csp' }],
])('what says %j of itself, named as csp: %p, is %j', async (statement, isNamed, expected) => {
  const { url, asked } = serve(() => Response.json(statement, isNamed ? named : {}))
  expect(await cspAt(url, 'a-key')).toEqual(expected as never)
  expect(asked).toEqual(['/health Bearer a-key'])
})

test.each<[string, () => Response, boolean]>([
  ['it answers', () => new Response('', named), true],
  ['it fails', () => new Response('', { ...named, status: 500 }), false],
  ['another program answers', () => new Response(''), false],
  ['another address answers', () => Response.redirect('/other'), false],
])('a csp is there where %s', async (_, live, isThere) => {
  const { url, asked } = serve(() => new Response('no JSON'), live)
  expect(await isCspAt(url)).toBe(isThere)
  // It is asked so, too, where it says nothing else that can be read.
  expect(await cspAt(url, 'a-key')).toEqual(isThere ? { title: 'csp' } : undefined)
  expect(asked).toEqual(['/health/live null', '/health Bearer a-key', '/health/live Bearer a-key'])
})

test('a csp has a second to answer, or as long as its caller waits', async () => {
  const { url } = serve(() => Response.json({ status: 'ok' }))
  const patience = spyOn(AbortSignal, 'timeout')
  try {
    await isCspAt(url)
    await cspAt(url, undefined, 7000)
    expect(patience.mock.calls).toEqual([[1000], [7000]])
  } finally {
    patience.mockRestore()
  }
})
