import { expect, test } from 'bun:test'
import type { RequestLog } from '../../../src/api/exchange/request-log.ts'
import { formatFamilies } from '../../../src/runtime/metrics/families.ts'
import { RequestMetrics } from '../../../src/runtime/metrics/request-metrics.ts'

/** What was counted, without the buckets of times. */
function samplesOf(metrics: RequestMetrics): readonly string[] {
  const lines = formatFamilies(metrics.families).split('\n')
  return lines.filter((line) => line !== '' && !/^#|_bucket\{/.test(line))
}

const entry: RequestLog = { id: 'a', method: 'GET', path: '/x', dialect: 'native', status: 200, ms: 1500 }
const known = { backends: ['claude', 'brave'], models: ['claude-haiku-4-5'] }

test('a request counts by its status class, with nothing for what it did not cost', () => {
  const metrics = new RequestMetrics(known)
  metrics.observe({ ...entry, status: 199, ms: 500 })
  metrics.observe({ ...entry, status: 499, code: 'busy' }, '/v1/search')
  expect(samplesOf(metrics)).toEqual([
    'csp_requests_total{route="other",dialect="native",status="1xx"} 1',
    'csp_requests_total{route="/v1/search",dialect="native",status="4xx"} 1',
    'csp_failures_total{dialect="native",code="busy"} 1',
    'csp_request_duration_seconds_sum{route="other",effort="",model="",backend=""} 0.5',
    'csp_request_duration_seconds_count{route="other",effort="",model="",backend=""} 1',
    'csp_request_duration_seconds_sum{route="/v1/search",effort="",model="",backend=""} 1.5',
    'csp_request_duration_seconds_count{route="/v1/search",effort="",model="",backend=""} 1',
  ])
})

test('a search counts with its phases, its cost and its pages, and what stood in for what', () => {
  const metrics = new RequestMetrics(known)
  metrics.observe(
    {
      ...entry,
      ...{ backend: 'claude, brave', model: 'claude-haiku-4-5', effort: 'fast', cache: 'miss' },
      ...{ queuedMs: 0, upstreamMs: 1250, searches: 2, inputTokens: 30, outputTokens: 4, pages: 5, unread: 1 },
      replaced: ['claude: timeout', 'somewhere: failed'],
    },
    '/v1/search',
  )
  const labels = 'effort="fast",model="claude-haiku-4-5",backend="claude, brave"'
  const cost = 'backend="claude, brave",model="claude-haiku-4-5"'
  expect(samplesOf(metrics)).toEqual([
    'csp_requests_total{route="/v1/search",dialect="native",status="2xx"} 1',
    `csp_request_duration_seconds_sum{route="/v1/search",${labels}} 1.5`,
    `csp_request_duration_seconds_count{route="/v1/search",${labels}} 1`,
    `csp_request_phase_seconds_sum{phase="queued",${labels}} 0`,
    `csp_request_phase_seconds_count{phase="queued",${labels}} 1`,
    `csp_request_phase_seconds_sum{phase="upstream",${labels}} 1.25`,
    `csp_request_phase_seconds_count{phase="upstream",${labels}} 1`,
    'csp_cache_requests_total{status="miss"} 1',
    'csp_replaced_total{backend="claude",code="timeout"} 1',
    'csp_replaced_total{backend="other",code="failed"} 1',
    'csp_searches_total{backend="claude, brave"} 2',
    `csp_tokens_total{${cost},kind="input"} 30`,
    `csp_tokens_total{${cost},kind="output"} 4`,
    'csp_pages_total{outcome="read"} 5',
    'csp_pages_total{outcome="unread"} 1',
  ])
})

test('a backend or a model that is not known has no name of its own, but for its family', () => {
  const metrics = new RequestMetrics(known)
  const seen = (backend: string, model: string) => metrics.observe({ ...entry, backend, model, searches: 1 }, '/x')
  seen('claude, stranger', 'claude-sonnet-9-x')
  seen('brave', 'sonnet')
  expect(samplesOf(metrics).filter((line) => /_searches_|duration.*count/.test(line))).toEqual([
    'csp_request_duration_seconds_count{route="/x",effort="",model="sonnet",backend="other"} 1',
    'csp_request_duration_seconds_count{route="/x",effort="",model="other",backend="brave"} 1',
    'csp_searches_total{backend="other"} 1',
    'csp_searches_total{backend="brave"} 1',
  ])
})

test('a call of an upstream counts its time and its tokens, also where its upstream has no name', () => {
  const metrics = new RequestMetrics(known)
  const spent = { inputTokens: 9, cachedInputTokens: 0, outputTokens: 0 }
  metrics.observeCall({ baseUrl: 'https://x.example', model: 'm', milliseconds: 250, ...spent })
  expect(samplesOf(metrics)).toEqual([
    'csp_upstream_calls_total{upstream="other",model="other"} 1',
    'csp_upstream_call_duration_seconds_sum{upstream="other",model="other"} 0.25',
    'csp_upstream_call_duration_seconds_count{upstream="other",model="other"} 1',
    'csp_upstream_tokens_total{upstream="other",model="other",kind="input"} 9',
  ])
})
