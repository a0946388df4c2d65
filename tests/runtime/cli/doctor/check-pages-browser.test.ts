import { expect, test } from 'bun:test'
import { checkPagesBrowser } from '../../../../src/runtime/cli/doctor/check-machine.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'

async function check(reply: unknown) {
  await using server = serveApi(() => Response.json(reply))
  return await checkPagesBrowser({ pagesBrowser: server.url })
}

test('doctor names the browser for pages, or what is wrong with it', async () => {
  expect(await checkPagesBrowser({ pagesBrowser: undefined })).toEqual([])
  const version = {
    Browser: 'Chrome/156.0',
    'User-Agent': 'Mozilla',
    webSocketDebuggerUrl: 'ws://a.example/devtools/b',
  }
  expect(await check(version)).toMatchObject([
    { status: 'ok', message: expect.stringContaining('Chrome/156.0 at http') },
  ])
  expect(await check({ name: 'no browser' })).toMatchObject([
    { status: 'warn', message: expect.stringContaining('does not speak the DevTools protocol') },
  ])
  expect(await checkPagesBrowser({ pagesBrowser: 'http://127.0.0.1:9' })).toMatchObject([
    { status: 'warn', message: expect.stringContaining('there is no browser at 127.0.0.1:9') },
  ])
})

test('the browser is on this machine', () => {
  const load = (url: string) => loadConfig({}, { HOME: '/nowhere', CSP_PAGES_BROWSER: url }, '/').config.pagesBrowser
  expect(load('http://127.0.0.1:9222')).toBe('http://127.0.0.1:9222')
  for (const url of ['http://browser.example:9222', 'http://10.0.0.1:9222', '9222'])
    expect(() => load(url)).toThrow(UsageError)
})
