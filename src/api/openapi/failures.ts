import { SearchError } from '../../domain/error.ts'
import type { Failure } from '../exchange/failure.ts'
import { invalid, Refusal, unknownModel } from '../exchange/refusal.ts'
import { failureOf } from '../http/failure-of.ts'
import type { Vendor } from '../vendor.ts'
import type { Components } from './components.ts'
import { headerRefs } from './headers.ts'
import { type JsonObject, schemaOfExample } from './json-schema.ts'

interface Example {
  readonly when: string
  readonly failure: Failure
}

const missing = { path: ['query'], type: 'missing', message: 'Field required' }

/** Every way in which a route fails, by the code that the log has for it. */
const failures = examples([
  ['A field is missing or wrong; no search was made', invalid(missing)],
  ['A key is needed, or wrong', new Refusal('unauthorized', 'A key is required.', [{ ...missing, path: [] }])],
  [
    'The host name, the web page or a proxy is not allowed',
    new Refusal('forbidden', 'The Host header evil.example is not allowed.'),
  ],
  ['There is no such model', unknownModel('gpt-1')],
  ['The body is too large', new Refusal('too-large', 'The body is larger than 1048576 bytes.')],
  [
    'A limit is reached, or too many searches wait; `retry-after` says for how long',
    new SearchError('rate-limited', 'The usage limit is reached.', { retryAfterSeconds: 1_800 }),
  ],
  ['The search failed', new SearchError('failed', 'The search failed.')],
  ['The model did not search', new SearchError('ungrounded', 'The model answered without a search.')],
  [
    'The CLI is missing or signed out, or the API is down',
    new SearchError('signed-out', 'Claude is not signed in. Run `csp login` on the machine that csp runs on.'),
  ],
  ['It took longer than `--timeout`', new SearchError('timeout', 'The search took too long.')],
])

const pageFailures = examples([
  ['The one page that was asked for cannot be read', new Refusal('page-unreadable', 'The page does not exist.')],
  ['This server reads no pages', new Refusal('pages-off', 'This server reads no pages.')],
])

const jobFailures = examples([
  [
    'There is no such job, or it is of another caller',
    new Refusal('not-found', 'There is no such job; it may have been deleted.'),
  ],
  [
    'Background jobs are off',
    new Refusal(
      'jobs-off',
      'Background jobs are off here (--jobs, or this is the edge). Send the request to the route that answers at once.',
    ),
  ],
])

function examples(errors: readonly (readonly [when: string, error: Error])[]): readonly Example[] {
  return errors.map(([when, error]) => ({ when, failure: failureOf(error, Date.UTC(2026, 10, 20, 10)) }))
}

const isOfSearch = new Set<Failure['code']>(['ungrounded', 'unknown-model'])

const reply = { id: '7d3c1f5e-0a52-4a3c-9d52-6f0f5f4c2a11', createdAt: new Date('2026-11-20T10:00:00Z') }

/** The purpose of a route; `own` is about csp itself. */
export type Described = 'search' | 'page' | 'job' | 'own'

/** The error replies of a route by status, in the envelope of its vendor. */
export function errorReplies(
  vendor: Pick<Vendor, 'name' | 'title' | 'formatError'>,
  method: string,
  kind: Described,
  components: Components,
): JsonObject {
  return components.once(`${vendor.name} ${kind} ${method}`, () => repliesOf(vendor, method, kind, components))
}

function repliesOf(
  vendor: Pick<Vendor, 'name' | 'title' | 'formatError'>,
  method: string,
  kind: Described,
  components: Components,
): JsonObject {
  const byStatus = new Map<number, Formatted[]>()
  for (const { when, failure } of failuresOf(kind)) {
    const { status, body } = vendor.formatError(failure, reply, method)
    const entry = { when, code: failure.code, body: JSON.parse(JSON.stringify(body)) }
    byStatus.set(status, [...(byStatus.get(status) ?? []), entry])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => {
      const part = errorReply(vendor, entries, components)
      return [String(status), components.shared('responses', `${vendor.name}-${status}`, part)]
    }),
  )
}

interface Formatted {
  readonly when: string
  readonly code: string
  readonly body: unknown
}

function failuresOf(kind: Described): readonly Example[] {
  if (kind === 'search') return failures
  const general = failures.filter(({ failure: { code } }) => !isOfSearch.has(code))
  if (kind === 'page') return [...general, ...pageFailures]
  if (kind === 'job') return [...general, ...jobFailures]
  return general.filter(({ failure: { status } }) => status === 400 || status === 401 || status === 403)
}

function errorReply(
  { name, title }: Pick<Vendor, 'name' | 'title'>,
  entries: readonly Formatted[],
  components: Components,
) {
  return {
    description: `${entries.map(({ when }) => when).join('. ')}.`,
    headers: headerRefs(['x-request-id', 'retry-after', 'x-csp-retry-at'], components),
    content: {
      'application/json': {
        schema: components.ref('schemas', `${name}-error`, () => errorSchema(title, entries[0]?.body)),
        examples: Object.fromEntries(entries.map(({ code, body }) => [code, { value: body }])),
      },
    },
  }
}

function errorSchema(title: string, example: unknown): JsonObject {
  return { description: `An error of ${title}.`, ...schemaOfExample(example) }
}
