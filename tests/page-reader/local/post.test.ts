import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openedHosts } from '../../../src/page-reader/local/page-url.ts'
import { checkPostUrl, postTo } from '../../../src/page-reader/local/post.ts'
import { failureOf } from '../../contract/page-reader.ts'
import { openSite, type Site } from './site.ts'

const never = new AbortController().signal
let site: Site
const received: string[] = []

beforeAll(async () => {
  site = await openSite({
    '/hook': async (request, response) => {
      for await (const chunk of request) received.push(`${request.method} ${request.headers['x-sign']} ${chunk}`)
      response.writeHead(204).end()
    },
    '/moved': (_, response) => response.writeHead(307, { location: '/hook' }).end(),
    '/endless': (_, response) => {
      response.writeHead(200)
      response.write('x'.repeat(1e6))
    },
  })
})
afterAll(() => site[Symbol.asyncDispose]())

const options = (resolve: (host: string) => Promise<readonly string[]> = async () => ['127.0.0.1']) => ({
  ...{ opened: openedHosts([`site.example:${site.port}`]), userAgent: 'csp/test', resolve },
})
const told = (path: string, more = options(), signal = never) =>
  postTo({ url: `${site.origin}${path}`, headers: { 'x-sign': '7' }, body: 'Bees 🙂' }, more, signal)

describe('a text that is sent to an address', () => {
  test('arrives as it is, and the status comes back', async () => {
    expect(await told('/hook')).toBe(204)
    expect(received).toEqual(['POST 7 Bees 🙂'])
  })

  test('follows no redirect', async () => {
    const before = received.length
    expect(await told('/moved')).toBe(307)
    expect(received).toHaveLength(before)
  })

  test('does not wait for a reply that never ends', async () => {
    expect(await told('/endless')).toBe(200)
  })

  test('goes to the addresses that were checked, and to none if one of them is private', async () => {
    const network = { ...options(async () => ['8.8.8.8', '10.0.0.1']), opened: new Map() }
    const sent = postTo({ url: 'https://hook.example/', headers: {}, body: '' }, network, never)
    expect(await failureOf(sent)).toBe('not-allowed')
    const lookUps: string[] = []
    await told(
      '/hook',
      options(async (host) => {
        lookUps.push(host)
        return ['127.0.0.1']
      }),
    )
    expect(lookUps).toEqual(['site.example'])
  })

  test('stops with its signal', async () => {
    const stop = new AbortController()
    const sent = told(
      '/hook',
      options(() => new Promise(() => {})),
      stop.signal,
    )
    stop.abort(new Error('stopped'))
    await expect(sent).rejects.toThrow('stopped')
  })
})

test('an address that cannot be resolved now may be taken, one on a private network may not', async () => {
  const none = { ...options(() => Promise.reject(new Error('offline'))), opened: new Map() }
  await checkPostUrl('https://hook.example/', none)
  expect(await failureOf(checkPostUrl('https://hook.example/', { ...none, resolve: async () => ['::1'] }))).toBe(
    'not-allowed',
  )
})
