import { describe, expect, test } from 'bun:test'
import {
  checkAccess,
  checkConfig,
  checkPort,
  describeCache,
  describeProgram,
} from '../../../../src/runtime/cli/doctor/check-machine.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'

test('doctor names the program, and the node that started it', () => {
  expect(describeProgram({})).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^\S+ on Bun \S+ at \S+; /),
  })
  expect(describeProgram({ CSP_NODE: '/usr/bin/node' }).message).toContain('/usr/bin/node; ')
})

describe('doctor says of a port', () => {
  const check = (port: number, host = ['127.0.0.1'], apiKeys: readonly string[] = []) =>
    checkPort({ host, port, apiKeys: [...apiKeys] })
  const serving = (statement: object, headers: Readonly<Record<string, string>> = { 'x-csp': '1' }) => {
    const seen: (string | null)[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        seen.push(request.headers.get('authorization'))
        return Response.json(statement, { headers })
      },
    })
    return { seen, port: server.port ?? 0, [Symbol.dispose]: () => void server.stop(true) }
  }

  test('that a csp listens there already, which is asked with the key', async () => {
    using server = serving({ status: 'ok', version: '1.2.3' })
    const message = expect.stringMatching(new RegExp(`^csp 1.2.3 .*http://127.0.0.1:${server.port}$`))
    expect(await check(server.port, ['127.0.0.1'], ['the-key', 'another'])).toMatchObject({ status: 'ok', message })
    expect(server.seen[0]).toBe('Bearer the-key')
  })

  test('that a csp there refuses what comes through a proxy', async () => {
    using server = serving({ status: 'ok', version: '1.2.3', refused_proxy: { problem: 'Name it.' } })
    const message = expect.stringMatching(/csp 1\.2\.3 .*proxy/)
    expect(await check(server.port)).toMatchObject({ status: 'warn', remedy: 'Name it.', message })
  })

  test('that something else has it, or that it is free', async () => {
    const other = serving({}, {})
    const at = `http://127.0.0.1:${other.port}`
    expect(await check(other.port)).toMatchObject({
      ...{ status: 'fail', message: expect.stringContaining(at), remedy: expect.stringMatching(/./) },
    })
    other[Symbol.dispose]()
    expect(await check(other.port)).toMatchObject({ status: 'ok', message: `${at} is free` })
    // Other systems have no second address of loopback.
    if (process.platform === 'linux')
      expect((await check(other.port, ['127.0.0.1', '127.0.0.2'])).message).toBe(
        `${at} and http://127.0.0.2:${other.port} are free`,
      )
  })
})

describe('doctor says who may search', () => {
  const check = (more: Partial<Parameters<typeof checkAccess>[0]>, named = 0) =>
    checkAccess({ host: ['127.0.0.1'], apiKeys: [], allowedHosts: [], ...more }, Array.from({ length: named }))

  test('with keys, counted', () => {
    const counted = (count: number) => ({ status: 'ok', message: expect.stringMatching(new RegExp(`${count}$`)) })
    expect(check({ apiKeys: ['k'] })).toMatchObject(counted(1))
    expect(check({ apiKeys: ['k'], host: ['0.0.0.0'] }, 2)).toMatchObject(counted(3))
    expect(check({}, 1)).toMatchObject(counted(1))
  })

  test('without keys on this machine alone', () => {
    expect(check({}).status).toBe('ok')
    expect(check({ host: ['192.0.2.7'] })).toMatchObject({
      ...{ status: 'fail', message: expect.stringContaining('192.0.2.7') },
      remedy: expect.stringContaining('csp keys add NAME'),
    })
  })
})

test('doctor names the folder of the cache', () => {
  expect(describeCache({ cacheDir: '/cache', cacheTtl: 1 }).message).toBe('/cache')
})

test('doctor names the configuration file, and what is wrong with it', () => {
  const loaded = loadConfig({}, { HOME: '/nowhere' }, '/')
  const path = '/nowhere/.config/csp/config.json'
  expect(checkConfig({ ...loaded, found: true })).toMatchObject({ status: 'ok', message: path })
  expect(checkConfig({ ...loaded, warnings: ['One.', 'Two.'] })).toMatchObject({ status: 'warn', message: 'One. Two.' })
  expect(checkConfig({ ...loaded, warnings: ['One.'], problem: 'Line 1.' })).toMatchObject({
    ...{ status: 'fail', message: expect.stringMatching(/^Line 1\. /), remedy: 'csp config edit' },
  })
})
