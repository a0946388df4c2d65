import { expect, test } from 'bun:test'
import {
  type RequestEntry,
  type Usual,
  whatAsked,
  whatWasSlow,
  whoAsked,
} from '../../src/web-ui/browser/views/requests.ts'

const now = Date.parse('2026-11-20T10:00:00Z')
const quick: RequestEntry = {
  ...{ id: '1', at: '2026-11-20T09:59:00Z', key: null, client: null, kind: 'list', method: 'GET', path: '/v1/search' },
  ...{ status: 200, code: null, cache: 'miss', backend: 'claude', model: null, effort: null, results: 10, pages: null },
  ...{ ms: 2000, queued_ms: 0, upstream_ms: 1500, pages_ms: 400, own_ms: 100 },
}
const usual: Usual = { kind: 'list', count: 9, ms: 2000, queued_ms: 0, upstream_ms: 1500, pages_ms: 400, own_ms: 100 }

test.each([
  [{ queued_ms: 6000 }, /waited 6\.0 s for its turn/],
  [{ upstream_ms: 7000 }, /Claude took 7\.0 s/],
  [{ upstream_ms: 7000, backend: 'brave' }, /brave took 7\.0 s/],
  [{ pages_ms: 6000 }, /pages took 6\.0 s/],
  [{ own_ms: 6000 }, /csp itself took 6\.0 s/],
])('a search that was slow by %j says why', (parts, why) => {
  const slow = { ...quick, ms: 9000, ...parts }
  expect(whatWasSlow({ requests: [slow, quick], usual: [usual] }, now)?.why).toMatch(why)
})

test('nothing was slow where a request took what its kind usually takes, failed, or was long ago', () => {
  const slow = { ...quick, ms: 9000, queued_ms: 7000 }
  for (const request of [quick, { ...slow, code: 'timeout' }, { ...slow, at: '2026-11-20T08:00:00Z' }])
    expect(whatWasSlow({ requests: [request], usual: [usual] }, now)).toBeUndefined()
})

test.each([
  [{ client: 'the page', kind: 'standard' }, 'You asked for a Standard answer · 10 results'],
  [
    { client: 'a Python program', queued_ms: 3000 },
    'A Python program searched the web · 10 results, after waiting 3.0 s',
  ],
  [{ key: 'phone', kind: 'cached' }, /with the key “phone” asked again .* from the cache$/],
  [{ status: 401, code: 'unauthorized' }, 'A program without a name was refused: without a key, or with a wrong one'],
  [{ kind: null, path: '/v1/models', results: null }, 'A program without a name asked which models there are'],
] as const)('a request with %j is a sentence', (parts, said) => {
  const request = { ...quick, ...parts }
  expect(`${whoAsked(request)} ${whatAsked(request)}`).toMatch(said)
})
