import type { Components } from './components.ts'
import type { JsonObject } from './json-schema.ts'

function text(description: string, more: JsonObject = {}): JsonObject {
  return { description, schema: { type: 'string', ...more } }
}

const number = { type: 'integer' }

/** What replies carry besides the body. docs/api.md has the same in a table. */
const replyHeaders = {
  'x-request-id': text('The id of the request; its lines in the log have it too'),
  'x-cache': text('Where the answer comes from', { enum: ['hit', 'stale', 'miss'] }),
  age: text('Seconds since the search', number),
  'x-csp-backend': text('The backend that answered; of a merged list all that it is from'),
  'x-csp-asked': text('The backends that were asked, in order, where it was more than one'),
  'x-csp-pages': text('What came of each page that was asked for, in order: `read`, or the code of its failure'),
  'x-csp-model': text('How a model name that csp does not know is served, and which name was perhaps meant'),
  'x-csp-search-model': text('The model that searched, whichever the request names'),
  'x-csp-stale-reason': text('Why an older answer stands in for a search: the code of the failure'),
  'x-csp-ignored': text('Fields that were set and have no effect, with commas between them'),
  'x-csp-missing': text('How many of the results that were asked for were not found', number),
  'x-csp-receipt': text('The id of the receipt of this answer, for `/v1/receipts/ID`'),
  'x-csp-seen': text('Of rows from memory: the days when csp saw them, in order'),
  'x-csp-estimated': text('The fields that are an estimate of csp'),
  'server-timing': text('Milliseconds in the queue, of the search so far, waiting for pages, and in all'),
  'retry-after': text('Seconds; on a usage limit, until it resets', number),
  'x-csp-retry-at': text('The same as a time, ISO 8601'),
} satisfies Readonly<Record<string, JsonObject>>

export type ReplyHeader = keyof typeof replyHeaders

export function headerRefs(names: readonly ReplyHeader[], components: Components): JsonObject {
  return Object.fromEntries(names.map((name) => [name, components.ref('headers', name, () => replyHeaders[name])]))
}

function requestHeader(name: string, description: string, more: JsonObject = {}): JsonObject {
  return { name, in: 'header', ...text(description, more) }
}

/** What any search may be sent with. */
export const requestHeaders = {
  'cache-control': requestHeader('cache-control', '`no-cache` searches again, `no-store` also keeps nothing'),
  'x-csp-excerpts': requestHeader('x-csp-excerpts', 'Where excerpts come from, and what an answer rests on', {
    enum: ['pages', 'lines', 'none'],
  }),
  'x-csp-backend': requestHeader(
    'x-csp-backend',
    '`memory`: answered from the pages that csp has seen, without a search',
    {
      enum: ['memory'],
    },
  ),
  'x-csp-evidence': requestHeader('x-csp-evidence', 'Whether an answer is compared with its pages, and judged', {
    enum: ['report', 'judge', 'off'],
  }),
  'x-csp-merge': requestHeader('x-csp-merge', 'How many backends are asked at once, for one list of theirs', {
    type: 'integer',
    minimum: 1,
  }),
} satisfies Readonly<Record<string, JsonObject>>
