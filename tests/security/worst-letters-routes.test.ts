import { expect, setDefaultTimeout, test } from 'bun:test'
import { testApp } from '../api/test-app.ts'
import { concretePath } from '../support/concrete-path.ts'
import { distinctRoutes, ruleFor } from './prompt-routes.ts'
import { slowLetters } from './worst-letters.ts'

// No caller stops csp for all others with a text in any field or header of any route.
setDefaultTimeout(600_000)

/** Fields that routes know by some of these names; what one does not know it passes over. */
const fieldsOf = (text: string) => ({
  ...Object.fromEntries(
    [
      'country',
      'language',
      'lang',
      'search_lang',
      'hl',
      'gl',
      'locale',
      'location',
      'freshness',
      'time_range',
      'date',
      'category',
      'topic',
      'model',
      'user',
      'safesearch',
      'start_published_date',
      'after_date',
      'goggles',
      'engines',
      'output',
      'timezone',
    ].map((name) => [name, text]),
  ),
  ...Object.fromEntries(
    [
      'urls',
      'domains',
      'include_domains',
      'exclude_domains',
      'includeDomains',
      'excludeDomains',
      'search_domain_filter',
      'stop',
    ].map((name) => [name, [text]]),
  ),
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'a',
      schema: {
        type: 'object',
        properties: { [text]: { type: 'string', pattern: text, format: text } },
        required: [text],
      },
    },
  },
  web_search_options: {
    user_location: {
      type: 'approximate',
      country: text,
      city: text,
      timezone: text,
      approximate: { country: text, region: text },
    },
  },
})

const headersOf = (text: string) => {
  const plain = text.replace(/[^\x20-\x7e]/g, 'x')
  return Object.fromEntries(
    [
      'accept',
      'accept-language',
      'content-type',
      'user-agent',
      'x-request-id',
      'authorization',
      'cookie',
      'traceparent',
      'anthropic-beta',
      ...['x-loc-country', 'x-loc-city', 'x-loc-state', 'x-loc-timezone'],
    ].map((name) => [name, plain]),
  )
}

/** More than servers take in an address and headers: see "a header of 100 KB" in connections.test.ts. */
const maxHeaderLength = 20_000

const app = testApp()
const routes = distinctRoutes().map((route, place) => ({ ...route, place }))

const send = async (method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await app.request(path, {
    method,
    headers,
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  await response.text()
  // Each request is a turn of its own.
  await Bun.sleep(1)
}

test.each(routes)('$method $path', async ({ method, path: pattern, place }) => {
  const path = concretePath(pattern)
  const asks = ruleFor(method, pattern)?.asks ?? []
  expect(asks).not.toEqual([])
  const ask = async (text: string) => {
    for (const each of asks) {
      const { body, query } = each(text)
      if (method === 'POST') await send(method, path, { ...fieldsOf(text), ...Object(body) })
      else
        await send(
          method,
          `${path}?${new URLSearchParams({ ...query, country: text, language: text, freshness: text })}`,
          undefined,
        )
    }
  }
  expect(await slowLetters(ask, { length: 20_000, step: 31, first: place })).toEqual([])
  const alone = async (text: string) => {
    for (const [name, value] of Object.entries(fieldsOf(text))) {
      const { body, query } = asks[0]?.('seals') ?? {}
      if (method === 'POST') await send(method, path, { ...Object(body), [name]: value })
      else await send(method, `${path}?${new URLSearchParams({ ...query, [name]: text })}`, undefined)
    }
  }
  const length = method === 'POST' ? 100_000 : maxHeaderLength
  expect(await slowLetters(alone, { length, step: 151, first: place * 3 })).toEqual([])
})

test('headers', async () => {
  const ask = async (text: string) => {
    for (const [name, value] of Object.entries(headersOf(text))) {
      const type = name === 'content-type' ? {} : { 'content-type': 'application/json' }
      await send('POST', '/v1/search', { query: 'seals' }, { ...type, [name]: value })
    }
  }
  expect(await slowLetters(ask, { length: maxHeaderLength, step: 5 })).toEqual([])
})
