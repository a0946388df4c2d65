import { describe, expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { networkInterfaces } from 'node:os'
import { checkPageUrl, openedHosts } from '@csp/page-reader/local/page-url'
import type { PageError } from '@csp/page-reader/page-error'
import { type FetchOptions, fetchPage } from '../../../packages/page-reader/src/local/fetch-page.ts'
import { addressesFor, type Network } from '../../../packages/page-reader/src/local/network.ts'
import { type Sending, send } from '../../../packages/page-reader/src/local/send.ts'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { openSite } from './site.ts'

const never = new AbortController().signal

describe('the addresses of a name', () => {
  const ask = (url: string, network: Network, opened: readonly string[] = []) =>
    addressesFor(checkPageUrl(url, openedHosts(opened)), { ownAddresses: () => ['192.0.2.5', '8.8.4.4'], ...network })

  test('are given to the socket when all of them are public', async () => {
    const resolve = async () => ['8.8.8.8', '2606:4700::1111']
    expect(await ask('https://bees.example/', { resolve })).toEqual(['8.8.8.8', '2606:4700::1111'])
  })

  test.each(['127.0.0.1', '::1', '10.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '8.8.4.4'])(
    'are refused when %s is among them, which is private or of this machine',
    async (address) => {
      const resolve = async () => ['8.8.8.8', address]
      expect(await failureOf(ask('https://bees.example/', { resolve }))).toBe('not-allowed')
    },
  )

  test('may be private where the operator opened the name', async () => {
    const resolve = async () => ['10.0.0.1']
    expect(await ask('http://wiki.intranet/', { resolve }, ['wiki.intranet'])).toEqual(['10.0.0.1'])
  })

  test("never lead to csp's own port on this machine, nor do its own names", async () => {
    const own = { ports: [52480], hosts: ['csp.example'] }
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '192.0.2.5', '::ffff:192.0.2.5']) {
      const network = { own, resolve: async () => [address] }
      expect(await failureOf(ask('http://wiki.intranet:52480/', network, ['wiki.intranet:52480']))).toBe('not-allowed')
    }
    const both = { own, resolve: async () => ['8.8.8.8', '127.0.0.1'] }
    expect(await failureOf(ask('http://wiki.intranet:52480/', both, ['wiki.intranet:52480']))).toBe('not-allowed')
    expect(await failureOf(ask('https://csp.example/', { own, resolve: async () => ['8.8.8.8'] }))).toBe('not-allowed')
  })

  test('are those that the system knows', async () => {
    const [address] = await addressesFor(checkPageUrl('http://localhost/', openedHosts(['localhost'])), {})
    expect(['127.0.0.1', '::1']).toContain(address ?? '')
  })

  test("do not lead to csp's own port at any address that the system says this machine has", async () => {
    const page = checkPageUrl('http://wiki.intranet:52480/', openedHosts(['wiki.intranet:52480']))
    const own = { ports: [52480], hosts: [] }
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? [])
    for (const address of addresses)
      expect(await failureOf(addressesFor(page, { own, resolve: async () => [address] }))).toBe('not-allowed')
  })

  test('a name that there cannot be is no host', async () => {
    const asked = addressesFor(checkPageUrl('http://a..b/', new Map()), {})
    expect(await asked.catch((error: Error) => error.message)).toBe('There is no such host.')
  })

  test('a name without any is unreachable', async () => {
    const asked = ask('https://nowhere.example/', { resolve: async () => [] })
    expect(await asked.catch((error: PageError) => [error.code, error.message])).toEqual([
      'unreachable',
      'There is no such host.',
    ])
    expect(await failureOf(addressesFor(checkPageUrl('https://nowhere.invalid/', new Map()), {}))).toBe('unreachable')
  })
})

describe('a name that is rebound', () => {
  test('is resolved once for a request, and the socket gets what was checked', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']]
    const sent: Sending[] = []
    const options: FetchOptions = {
      opened: new Map(),
      userAgent: 'test',
      resolve: async () => answers.shift() ?? [],
      send: async (sending) => {
        sent.push(sending)
        throw new Error('No request leaves this test.')
      },
    }
    const request = { url: 'http://rebound.example/', accept: '*/*', signal: never, maxBytes: 10 }
    await fetchPage(request, options).catch(() => {})
    expect(sent.map(({ addresses }) => addresses)).toEqual([['8.8.8.8']])
    expect(answers).toEqual([['127.0.0.1']])
    expect(await failureOf(fetchPage(request, options))).toBe('not-allowed')
    expect(sent.length).toBe(1)
  })

  test('reaches the address that was checked, and no other, when the request is sent', async () => {
    await using site = await openSite({ '/': 'here' })
    const url = new URL(`http://no-such-name.invalid:${site.port}/`)
    const { signal } = new AbortController()
    const reply = await send({ url, addresses: ['127.0.0.1'], headers: {}, signal })
    reply.destroy()
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(reply.statusCode).toBe(200)
    expect(site.requests[0]?.headers.host).toBe(url.host)
  })

  test('is not asked through a proxy of the environment, which would resolve it again', async () => {
    await using site = await openSite({ '/': 'here' })
    const code = `const { send } = await import(${JSON.stringify(require.resolve('../../../packages/page-reader/src/local/send.ts'))})
      const url = new URL('http://no-such-name.invalid:${site.port}/')
      const reply = await send({ url, addresses: ['127.0.0.1'], headers: {}, signal: new AbortController().signal })
      console.log(reply.statusCode)
      process.exit()`
    const proxy = 'http://127.0.0.1:1'
    const env = { ...process.env, HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, all_proxy: proxy }
    const child = Bun.spawn([process.execPath, '-e', code], { env, stdout: 'pipe', stderr: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('200\n')
  })
})
