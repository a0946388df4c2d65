import { geminiBases } from '../dialects/gemini/vendor.ts'
import { azureBases } from '../dialects/openai/vendor.ts'
import { formatGeminiModel, formatModel } from '../endpoints/models.ts'
import { withV1 } from '../vendor.ts'
import type { JsonObject } from './json-schema.ts'

/** A route that neither searches nor reads pages. */
export interface OwnRoute {
  readonly paths: readonly string[]
  /** Absent: GET and HEAD. */
  readonly methods?: readonly string[] | undefined
  readonly summary: string
  /** An example where it is JSON, otherwise the content type. */
  readonly reply: JsonObject | string
  readonly query?: JsonObject | undefined
  readonly isOpen?: true | undefined
  /** Not there in every csp. */
  readonly isOptional?: true | undefined
  /** Besides 200. */
  readonly status?: Readonly<Record<number, string>> | undefined
}

const model = formatModel('sonar-pro', {}, new Date('2026-11-20T10:00:00Z'))
const geminiModel = formatGeminiModel('gemini-flash-latest')

const modelBases = ['', '/v1', ...azureBases]

export const ownRoutes: readonly OwnRoute[] = [
  {
    paths: modelBases.map((base) => `${base}/models`),
    summary: 'The names of models, in the shape of OpenAI and Anthropic at once',
    reply: { object: 'list', data: [model], has_more: false, first_id: 'sonar-pro', last_id: 'sonar-pro' },
  },
  {
    paths: modelBases.map((base) => `${base}/models/:id{.+}`),
    summary: 'One model',
    reply: model,
    status: { 404: 'There is no such model.' },
  },
  {
    paths: geminiBases.map((base) => `${base}/models`),
    summary: 'The names of models in Google’s shape',
    reply: { models: [geminiModel] },
  },
  {
    paths: geminiBases.map((base) => `${base}/models/:id{.+}`),
    summary: 'One model in Google’s shape',
    reply: geminiModel,
    status: { 404: 'There is no such model.' },
  },
  {
    paths: withV1('/usage'),
    summary: 'What was spent by day, key and backend, and the limits',
    query: { days: { type: 'integer', minimum: 1 } },
    reply: {
      object: 'usage',
      key: null,
      time_zone: 'UTC',
      warning: null,
      limits: [
        {
          key: null,
          kind: 'searches',
          window: 'day',
          limit: 500,
          used: 3,
          left: 497,
          resets_at: '2026-11-21T00:00:00Z',
        },
      ],
      days: [
        { day: '2026-11-20', requests: 3, failures: 0, searches: 3, input_tokens: 5520, output_tokens: 288, pages: 20 },
      ],
      backends: [{ name: 'claude', rate_limit: null }],
      cache: { hits: 1, stale: 0, misses: 3 },
    },
  },
  {
    paths: withV1('/requests'),
    summary: 'The last fifty requests, the newest first, never what was asked',
    reply: {
      object: 'requests',
      key: null,
      requests: [
        {
          id: '7d3c1f5e',
          at: '2026-11-20T10:00:04.200Z',
          method: 'POST',
          path: '/v1/search',
          dialect: 'native',
          status: 200,
          ms: 4200,
        },
      ],
    },
  },
  {
    paths: withV1('/sign-in'),
    methods: ['POST'],
    summary: 'Has the Claude Code CLI sign in, for the page: its link, and whether the login succeeded',
    isOptional: true,
    reply: 'text/event-stream',
    status: { 403: 'Claude is signed in already, or another site asks.' },
  },
  {
    paths: withV1('/sign-in/code'),
    methods: ['POST'],
    summary: 'Hands the code of that link to the CLI: `id` and `code`, as JSON',
    isOptional: true,
    reply: 'application/json',
    status: { 204: 'The CLI has it.', 404: 'This sign-in is not in progress any more.' },
  },
  {
    paths: [...withV1('/health'), ...withV1('/health/ready')],
    summary: 'Whether a search is expected to work; with a key, the state of everything',
    isOpen: true,
    reply: {
      status: 'ok',
      version: '1.0.0',
      uptime_seconds: 3600,
      ready: true,
      backends: [{ name: 'claude', ready: true, signed_in: true }],
    },
    status: { 503: 'No search is expected to work.' },
  },
  {
    paths: withV1('/health/live'),
    summary: 'Whether csp runs, whatever the backends do',
    isOpen: true,
    reply: { status: 'ok' },
  },
  { paths: ['/metrics'], summary: 'Metrics for Prometheus', reply: 'text/plain', isOptional: true },
  {
    paths: ['/openapi.json'],
    summary: 'This document',
    isOpen: true,
    reply: { openapi: '3.1.1', info: {}, paths: {} },
  },
  {
    paths: ['/llms.txt'],
    summary: 'What an agent needs to know of csp',
    isOpen: true,
    reply: 'text/plain',
  },
  {
    paths: ['/docs'],
    summary: 'This document, for people',
    isOpen: true,
    isOptional: true,
    reply: 'text/html',
  },
  {
    paths: ['/page/:name'],
    summary: 'Scripts and styles of the page',
    isOpen: true,
    isOptional: true,
    reply: 'text/javascript',
  },
  {
    paths: ['/opensearch.xml'],
    summary: 'The page as a search engine, for browsers and launchers',
    isOpen: true,
    isOptional: true,
    reply: 'application/opensearchdescription+xml',
  },
  {
    paths: ['/'],
    methods: ['GET'],
    summary: 'The page for people in a browser, a line of JSON otherwise; with `q`, SearXNG by its bare address',
    isOpen: true,
    reply: { name: 'claude-search-proxy', health: '/health', docs: '/openapi.json' },
    status: { 308: 'To the search of SearXNG.' },
  },
  {
    paths: ['/config', ...withV1('/searxng/config')],
    summary: 'What SearXNG tells of itself',
    reply: { categories: ['general'], engines: [{ name: 'csp', enabled: true }], instance_name: 'claude-search-proxy' },
  },
]
