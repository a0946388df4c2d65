import type { Gateway } from '@csp/gateway/gateway'
import type { ExecutorHealth } from '../../domain/health.ts'
import type { Jobs } from '../../domain/job.ts'
import type { MemoryScope } from '../../domain/memory.ts'
import type { ModelMap } from '../../domain/model.ts'
import type { Memory } from '../../domain/recall.ts'
import type { Receipts } from '../../domain/receipt.ts'
import type { Executor } from '../../executor/executor.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import type { RecentRequests } from '../exchange/recent-requests.ts'
import type { RequestLog } from '../exchange/request-log.ts'
import type { CheckKey } from '../http/auth.ts'
import type { ProxyRefusals } from '../http/proxied.ts'
import type { TunnelHealth } from './health-rows.ts'

/** What these routes report of. */
export interface OwnParts {
  readonly version: string
  readonly executor: Executor
  /** Absent if there are no upstreams. */
  readonly gateway: Pick<Gateway, 'health' | 'models'> | undefined
  /** Absent if spending is not counted. */
  readonly budget: Meter | undefined
  /** Absent, as the next two, on the edge and in the library. */
  readonly receipts: Pick<Receipts, 'read' | 'list'> | undefined
  readonly memory: KeptMemory | undefined
  readonly jobs: Jobs | undefined
  readonly metrics: Metrics | undefined
  readonly signIn: SignIn | undefined
  readonly recent: RecentRequests
  readonly models: () => ModelMap
  /** Whether there is anything to search with. */
  readonly searches: () => boolean
  /** For open routes, which tell more to callers with a key. */
  readonly checkKey: CheckKey
  /** The names of all keys. */
  readonly keyNames: () => Promise<readonly string[]>
  readonly proxied: ProxyRefusals
  /** Absent if there is no link to an edge. */
  readonly tunnel: (() => TunnelHealth) | undefined
  /** Hears what a request for `/health` found. */
  readonly onHealth: ((found: ExecutorHealth) => void) | undefined
  /** How long callers without a key get the same status, where asking costs something. Absent: not at all. */
  readonly anonymousTtlMs: number | undefined
  /** Loads the page. Absent if it is off. */
  readonly page: (() => Promise<FrontPage>) | undefined
  /** Makes the OpenAPI document as JSON, and the text for agents who found csp at this address. */
  readonly document: () => Promise<string>
  readonly llms: (address: string) => Promise<string>
  readonly heartbeatMs: number
  readonly now: () => Date
  readonly startedAt: Date
}

/** The pages that a csp has seen, and who shares them. */
export interface KeptMemory {
  readonly memory: Pick<Memory, 'stats' | 'forget'>
  readonly scope: MemoryScope
}

/** What counts the requests of an app, and says how it stands in a format that a scraper reads. */
export interface Metrics {
  /** The content type of `format`. */
  readonly type: string
  /** Hears of each request when its reply has ended. `route`: its path as it is mounted, `/r/:url{.+}`; absent if nothing is. */
  observe(entry: RequestLog, route: string | undefined): void
  format(): Promise<string>
}

/** What happens while the CLI signs in. */
export type SignInStep =
  | { readonly type: 'started'; readonly id: string }
  /** Where a person gets a code. */
  | { readonly type: 'link'; readonly url: string }
  /** What the CLI says, for example of a code that is not whole. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'done' }

/** The login of the CLI without a terminal. */
export interface SignIn {
  /** Starts it, and ends one that is in progress. It ends with the signal. */
  begin(signal: AbortSignal): AsyncIterable<SignInStep>
  /** Hands a code to the login of this id. False where it is not in progress. */
  enter(id: string, code: string): Promise<boolean>
}

/** The page for people at `/`: markup that depends on its visitor, and the files that it loads. */
export interface FrontPage {
  readonly markup: (visitor: Visitor) => string
  /** By their names below `/page/`. */
  readonly files: Readonly<Record<string, PageFile>>
}

export interface Visitor {
  /** The address of this server as the visitor wrote it, without a slash at the end. */
  readonly url: string
  /** This visitor sent no key, and needs one. */
  readonly needsKey: boolean
  /** The visitor came by the address bar, a bookmark or another program, not by a link of another site. */
  readonly isDirect: boolean
  /** What is to be seen in every view. */
  readonly notice: string | undefined
}

export interface PageFile {
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer>
}
