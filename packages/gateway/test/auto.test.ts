import { afterEach, describe, expect, test } from 'bun:test'
import { autoShaped } from '../src/auto.ts'
import { nativeUpstream } from '../src/native/native.ts'
import type { Upstream } from '../src/upstream.ts'
import { type MessagesServer, messagesServer, type Override } from './support/messages-server.ts'

let server: MessagesServer | undefined
afterEach(() => server?.stop())

const translated: Upstream = { name: 'translated', async *send() {}, async close() {} }

function auto(override: Override) {
  server = messagesServer('succeed', override)
  return autoShaped(nativeUpstream({ name: 'n', baseUrl: `${server.url}/v1` }), translated)
}

describe('an upstream whose shape nobody said', () => {
  test('is asked once, with an empty request, and is native where it refuses that as the Messages API does', async () => {
    const { native } = auto(
      refusing({ type: 'error', error: { type: 'invalid_request_error', message: 'model' } }, 400),
    )
    expect(await native()).toBeDefined()
    expect(await native()).toBeDefined()
    expect(server?.requests.map(({ body }) => body)).toEqual([{}])
  })

  test('is native where a key is missing and the Messages API says so', async () => {
    const { native } = auto(refusing({ type: 'error', error: { type: 'authentication_error', message: 'key' } }, 401))
    expect(await native()).toBeDefined()
  })

  test.each([
    { body: { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] }, status: 422 },
    { body: { error: { message: 'model is required', type: 'BadRequestError', code: 400 } }, status: 400 },
    { body: { message: 'No API key found in request' }, status: 401 },
    { body: 'Internal Server Error', status: 500 },
  ])('is native where it refuses that in another envelope: $status', async ({ body, status }) => {
    expect(await auto(refusing(body, status)).native()).toBeDefined()
  })

  test.each([408, 429, 502, 503, 504, 529])('stays undecided while it answers with %i', async (status) => {
    let isUp = false
    const { native } = auto(() =>
      isUp ? Response.json({ detail: 'Not Found' }, { status: 404 }) : Response.json({}, { status }),
    )
    expect(native()).rejects.toMatchObject({ status })
    isUp = true
    expect(await native()).toBeUndefined()
  })

  test.each([
    { body: { error: 'Unexpected endpoint or method. (POST /v1/messages)' }, status: 200 },
    { body: { error: 'Method Not Allowed' }, status: 405 },
    { body: { type: 'error', error: { type: 'not_found_error', message: 'No such route' } }, status: 404 },
    { body: { error: { message: 'Not found' } }, status: 404 },
    { body: { detail: 'Not Found' }, status: 404 },
    { body: { error: { message: 'Invalid URL (POST /v1/messages)', type: 'invalid_request_error' } }, status: 404 },
  ])('is translated where it has no such route: $body', async ({ body, status }) => {
    expect(await auto(refusing(body, status)).native()).toBeUndefined()
  })

  test('is sent what fits its shape', async () => {
    const { upstream } = auto(refusing({ detail: 'Not Found' }, 404))
    const events = upstream.send({ model: 'm', messages: [] }, { signal: new AbortController().signal })
    expect(await Array.fromAsync(events)).toEqual([])
    expect(server?.requests.map(({ body }) => body)).toEqual([{}])
  })

  test('stays undecided while it cannot be reached', async () => {
    const shaped = autoShaped(nativeUpstream({ name: 'n', baseUrl: 'http://127.0.0.1:9' }), translated)
    expect(shaped.native()).rejects.toMatchObject({ status: 503 })
    expect(shaped.native()).rejects.toMatchObject({ status: 503 })
  })
})

function refusing(body: object | string, status: number): Override {
  return () => Response.json(body, { status })
}
