import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { startConnectProxy } from './support/connect-proxy.ts'
import { type Edge, secret, startEdge } from './support/edge.ts'

// What stands between `csp connect` and its edge: a proxy on the way out, Cloudflare Access in front of the Worker.

let edge: Edge
let home: ScratchHome
beforeAll(async () => {
  edge = await startEdge()
  home = await scratchHome()
})
afterAll(async () => {
  await edge.dispose()
  await home[Symbol.asyncDispose]()
})

/** `csp connect` in this process. */
function csp(url: string, environment: Readonly<Record<string, string>>) {
  const base = { ...claudeEnvironment('http://127.0.0.1:9', home.path), CSP_CLAUDE_BIN: standInClaude() }
  const shell = testShell({
    directory: home.path,
    environment: { ...base, CSP_CONNECT_SECRET: secret, CSP_CONNECT_NAME: 'attic', ...environment },
  })
  return { shell, ended: main(['connect', url], shell) }
}

describe('csp connect behind a proxy', () => {
  test('goes through the proxy of the environment, with its password', async () => {
    await using proxy = await startConnectProxy()
    const { shell, ended } = csp(edge.url, { HTTP_PROXY: proxy.url })
    await shell.says('connected to')
    expect(proxy.requests[0]).toStartWith(`CONNECT ${new URL(edge.url).host} HTTP/1.1\r\n`)
    expect((await edge.status()).homes).toMatchObject([{ name: 'attic' }])
    shell.send('SIGTERM')
    expect(await ended).toBe(0)
    expect(shell.complaints()).not.toContain('a-password')
  })

  test('leaves the proxy aside where NO_PROXY names the edge', async () => {
    await using proxy = await startConnectProxy()
    const { shell, ended } = csp(edge.url, { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' })
    await shell.says('connected to')
    expect(proxy.requests).toEqual([])
    shell.send('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('says that the proxy was on the way when the edge cannot be reached, and not its password', async () => {
    const { shell, ended } = csp(edge.url, { HTTP_PROXY: 'http://me:a-password@127.0.0.1:9' })
    await shell.says('through the proxy 127.0.0.1:9')
    shell.send('SIGTERM')
    await ended
    expect(shell.complaints()).not.toContain('a-password')
  })
})

describe('csp connect in front of Cloudflare Access', () => {
  const token = { CSP_ACCESS_TOKEN: 'attic.access:the-half-that-is-secret' }

  test('sends the service token with its login', async () => {
    await using access = startAccess()
    const { shell, ended } = csp(access.url, token)
    await shell.says('connected to')
    shell.send('SIGTERM')
    expect(await ended).toBe(0)
    expect(shell.complaints()).not.toContain('the-half-that-is-secret')
  })

  test.each([
    ['no service token', {}, 'Set CSP_ACCESS_TOKEN'],
    ['a wrong one', { CSP_ACCESS_TOKEN: 'attic.access:another-half-of-it' }, 'refuses the service token'],
  ])('with %s says what to do, without the secret', async (_, environment, advice) => {
    await using access = startAccess()
    const { shell, ended } = csp(access.url, environment)
    expect(await ended).not.toBe(0)
    expect(shell.complaints()).toContain(advice)
    expect(shell.complaints()).not.toContain('another-half-of-it')
  })

  /** Stands before an edge as Access does: whoever has no token is sent to its login. */
  function startAccess() {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request, { upgrade }) {
        const isRight =
          request.headers.get('cf-access-client-id') === 'attic.access' &&
          request.headers.get('cf-access-client-secret') === 'the-half-that-is-secret'
        if (isRight && upgrade.call(server, request)) return undefined
        return Response.redirect('https://team.cloudflareaccess.com/cdn-cgi/access/login/edge.example.com', 302)
      },
      websocket: { message: (socket) => void socket.send('pong') },
    })
    return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
  }
})
