import { afterEach, describe, expect, test } from 'bun:test'
import { anthropic } from '../../src/gateway/anthropic/anthropic.ts'
import { autoShaped } from '../../src/gateway/auto.ts'
import type { Upstream } from '../../src/gateway/upstream.ts'
import { type MessagesServer, messagesServer, type Override } from './support/messages-server.ts'

let server: MessagesServer | undefined
afterEach(() => server?.stop())

const translated: Upstream = { name: 'translated', async *send() {}, async close() {} }

function auto(override: Override) {
  server = messagesServer('succeed', override)
  return autoShaped(anthropic({ name: 'n', baseUrl: `${server.url}/v1` }), translated)
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
    { body: { error: { message: 'Not found' } }, status: 404 },
    { body: { detail: 'Not Found' }, status: 404 },
    { body: { error: { message: 'Invalid URL (POST /v1/messages)', type: 'invalid_request_error' } }, status: 404 },
  ])('is translated where it has no such route: $body', async ({ body, status }) => {
    expect(await auto(refusing(body, status)).native()).toBeUndefined()
  })

  test('stays undecided while it cannot be reached', async () => {
    const shaped = autoShaped(anthropic({ name: 'n', baseUrl: 'http://127.0.0.1:9' }), translated)
    expect(shaped.native()).rejects.toMatchObject({ status: 503 })
    expect(shaped.native()).rejects.toMatchObject({ status: 503 })
  })
})

function refusing(body: object, status: number): Override {
  return () => Response.json(body, { status })
}
