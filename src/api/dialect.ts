import type { Evidence } from '@csp/evidence/evidence'
import type { Page, PageRequest } from '@csp/page-reader/page'
import type { PageError } from '@csp/page-reader/page-error'
import type { z } from 'zod'
import type { ModelMap } from '../domain/model.ts'
import type { Answer, CacheStatus, SearchEvent, SearchRequest } from '../domain/search.ts'
import type { ErrorReply, Failure } from './exchange/failure.ts'

/** The searches of one client request. */
export type Asks = SearchRequest | readonly SearchRequest[]

/** The search of a dialect that makes exactly one. */
export function onlyRequest<One extends SearchRequest>(asked: readonly One[]): One
export function onlyRequest(asked: Asks): SearchRequest
export function onlyRequest(asked: Asks): SearchRequest {
  const [request] = [asked].flat()
  if (!request) throw new Error('A request has one search.')
  return request
}

/**
 * Translates one vendor's requests and replies: the only place that knows its field names.
 *
 * Pure: no clock, no ids, no I/O. A reply gets those from `Reply`, so that the same answer always gives the same bytes.
 */
export interface Dialect<Input, Asked extends Asks = Asks> {
  readonly kind: 'search'
  /** Tolerant: unknown fields pass, `null` means absent. Strict about the fields that it reads. */
  readonly schema: z.ZodType<Input>
  readonly reference: DialectReference
  /**
   * Several requests run at the same time; the answer then has one search for each, in their order, and no text. With an
   * empty list no search is made, and the reply is formatted from an empty answer.
   * Throws a `Refusal` for what a schema cannot check. Some vendors read fields from the headers as well.
   */
  parse(input: Input, models: ModelMap, headers?: Headers): Asked
  /** The name of the model that the caller asked for, where any name will do. */
  model?(input: Input, models: ModelMap): string | undefined
  /**
   * The fields that the schema reads, the caller set and that have no effect. The reply names them in `x-csp-ignored`,
   * with all fields that the schema does not read.
   */
  ignored?(input: Input): readonly string[]
  /**
   * Which of the pages that the search finds are read for the reply; `undefined`: none. It gets those that came in time
   * as `reply.pages`. A stream has none.
   */
  pages?(input: Input): FoundPagesWish | undefined
  /**
   * The fields, if they are set, that ask for several passages of each page. The pages of a list are read for them, and
   * they are named as ignored where this server reads none.
   */
  passagesFields?(input: Input): readonly string[]
  /** Pages that the request itself names. They are read before the search, and the reply gets them as `reply.named`. */
  readonly namedPages?: NamedPages<Input> | undefined
  format(answer: Answer, reply: Reply<Input>): unknown
  /** Whether a reply can say that the model refused to write JSON. By default a request with a schema fails then. */
  readonly tellsRefusals?: boolean | undefined
  /** Whether tokens that were not counted stay 0, for a client that counts for itself. By default they are estimated. */
  readonly keepsUsage?: true | undefined
  /** The headers of every reply that is not an error. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Absent if the vendor has no streaming. */
  readonly stream?: StreamDialect<Input> | undefined
}

/** A dialect whose types follow from its schema. */
export function searchDialect<Schema extends z.ZodType, Asked extends Asks = Asks>(
  dialect: Omit<Dialect<z.output<Schema>, Asked>, 'kind'> & { readonly schema: Schema },
): Dialect<z.output<Schema>, Asked> {
  return { ...dialect, kind: 'search' }
}

/** What the reference of the routes shows. The reply to the example is made by the dialect. */
export interface DialectReference {
  /** A phrase without a full stop. */
  readonly summary: string
  /** What a client sends. */
  readonly example: Readonly<Record<string, unknown>>
  /** Headers that the dialect reads, each with what it does. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The same of what stands in the path, and of parameters of the query string beside a body. */
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Whether clients that post send a form. */
  readonly isForm?: true | undefined
}

export interface StreamDialect<Input> {
  wanted(input: Input): boolean
  format(events: AsyncIterable<SearchEvent>, reply: Reply<Input>): AsyncIterable<Frame>
  /** The frames that end a stream which fails after its status and this many frames were sent. */
  formatError(failure: Failure, reply: ErrorReply, framesSent: number): readonly Frame[]
  /** How the frames stand on the wire; absent: as server-sent events. Called once for each stream. */
  framing?(): Framing
}

/** How the frames of one stream stand on the wire. */
export interface Framing {
  readonly contentType: string
  write(frame: Frame): string
  /** Sent while no frame comes, so that no proxy closes a silent connection. */
  heartbeat(): string
  /** Sent after the last frame. */
  end(): string
}

/** Translates one vendor's requests for pages, as a `Dialect` does those for searches, and is as pure. */
export interface PageDialect<Input> {
  readonly kind: 'page'
  readonly schema: z.ZodType<Input>
  readonly reference: DialectReference
  /** What the schema gets, for a vendor that has fields in the path and the headers. Without a body it is `undefined`. */
  read?(request: Request, body: unknown): unknown
  /** Throws a `Refusal` for what a schema cannot check. An address that cannot be read is no such thing: it fails alone. */
  parse(input: Input): PageWish
  ignored?(input: Input): readonly string[]
  /**
   * `outcomes` has one for each request, in their order. Throws the `PageError` of a page that is the whole reply: it
   * becomes the vendor's error. A `TextReply` is sent as it is, anything else as JSON; what
   * takes long may be a promise.
   */
  format(outcomes: readonly PageOutcome[], reply: Reply<Input>, asker?: Asker): unknown
}

/** Asks a model about some evidence, in the name of the caller. Absent on the command line. */
export type AskedJudge = (evidence: readonly Evidence[]) => Promise<readonly Evidence[]>

/** Who has claims checked. */
export interface Asker {
  readonly signal: AbortSignal
  readonly caller?: string | undefined
  readonly judge?: AskedJudge | undefined
  /** Called once the texts have been compared. */
  readonly onChecked?: (() => void) | undefined
}

/** As `searchDialect`. */
export function pageDialect<Schema extends z.ZodType>(
  dialect: Omit<PageDialect<z.output<Schema>>, 'kind'> & { readonly schema: Schema },
): PageDialect<z.output<Schema>> {
  return { ...dialect, kind: 'page' }
}

/** A reply that is no JSON. */
export class TextReply {
  readonly type: 'text/plain' | 'text/markdown'
  readonly text: string

  constructor(type: TextReply['type'], text: string) {
    this.type = type
    this.text = text
  }
}

/** The pages that a client asks for. */
export interface PageWish {
  readonly requests: readonly PageRequest[]
  /** How long each page may take; 30 s at most, and by default. */
  readonly timeoutMs?: number | undefined
  /** Whether each page is fetched again. */
  readonly isFresh?: boolean | undefined
  /** Which addresses the caller allows, those of redirects included. */
  readonly mayVisit?: ((url: URL) => boolean) | undefined
}

export interface NamedPages<Input> {
  wish(input: Input): PageWish | undefined
  /** Pages that those lead to: links of theirs. They are read after them. */
  next?(input: Input, outcomes: readonly PageOutcome[]): PageWish | undefined
  /** Puts what was read into the request. */
  add(request: SearchRequest, outcomes: readonly PageOutcome[]): SearchRequest
}

/** What a client wants of the pages that its search finds. */
export interface FoundPagesWish extends Pick<PageRequest, 'format' | 'maxCharacters' | 'mainContentOnly'> {
  /** The field that has no effect where this server reads no pages. */
  readonly field?: string | undefined
  /** The first so many pages. */
  readonly count: number
  readonly isFresh?: boolean | undefined
}

/** A page, or why it could not be read. */
export type PageOutcome =
  | { readonly url: string; readonly page: Page; readonly error?: undefined }
  | { readonly url: string; readonly page?: undefined; readonly error: PageError }

/** What a reply needs besides the answer. */
export interface Reply<Input> {
  readonly id: string
  readonly createdAt: Date
  /** Whole milliseconds since the request arrived. */
  readonly elapsedMs: () => number
  readonly input: Input
  /** The pages that the request names, or why they could not be read. */
  readonly named?: readonly PageOutcome[] | undefined
  /** The pages that were read, by the addresses of their results; absent if none was wanted or is ever read. */
  readonly pages?: ReadonlyMap<string, Page> | undefined
  /** Where the answer came from, once it has begun; absent if nothing is kept. */
  readonly cache?: { readonly status: CacheStatus; readonly ageSeconds: number } | undefined
  /** An estimate of what the caller sent; 0 for a list of results. */
  readonly promptTokens?: number | undefined
  /** The model that writes where a request names none; `sonnet` by default. */
  readonly defaultModel?: string | undefined
}

/** One server-sent event. */
export interface Frame {
  readonly event?: string | undefined
  readonly data: string
}
