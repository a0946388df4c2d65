import type { MessagesRequest } from '@csp/messages-api/request'
import type { ModelCallKind } from './messages-request.ts'
import type { Scenario } from './scenario.ts'
import type { PaceOptions } from './stream/pace.ts'

/** A model call as received. */
export interface ReceivedCall {
  readonly kind: ModelCallKind
  /** How the sandbox replies. */
  readonly scenario: Scenario
  readonly body: MessagesRequest
  /** The body as it was sent. */
  readonly text: string
  readonly headers: Headers
  readonly arrivedAt: Date
}

/** How a sandbox behaves. Every option has a default. */
export interface SandboxOptions {
  /** The scenario of a call; `ok` by default. */
  readonly scenario?: ((kind: ModelCallKind) => Scenario) | undefined
  /** Hears of each model call. */
  readonly onCall?: ((call: ReceivedCall) => void) | undefined
  /** Called when a reply begins to be sent. What it returns is called after the last byte, or when the reader has gone. */
  readonly onReply?: (() => () => void) | undefined
  /** Number of pages that a search finds; 8 by default. */
  readonly resultCount?: number | undefined
  /** The least length of an excerpt, in characters; short ones by default. */
  readonly excerptLength?: number | undefined
  /**
   * The addresses of the pages that a search finds, such as `http://127.0.0.1:8080`, in turn; by default on hosts that
   * do not exist.
   */
  readonly sites?: readonly string[] | undefined
  /**
   * Whether searches find the sandbox's own library, true pages on a few subjects, and answers are made of them. By default
   * pages are invented, each about whatever was asked.
   */
  readonly library?: boolean | undefined
  /** Delay of a call before its first byte, in milliseconds; 0 by default. */
  readonly thinkMs?: number | Readonly<Partial<Record<ModelCallKind, number>>> | undefined
  /** How fast the models are, by name; without it they answer at once. It adds to `thinkMs`. */
  readonly pace?: PaceOptions | undefined
  /** Pause between two events in the scenario `slow`, in milliseconds; 100 by default. */
  readonly deltaPauseMs?: number | undefined
  /** Share of the five-hour usage limit that is used, 0 to 1; 0.1 by default. `none`: a plan without this limit. */
  readonly utilization?: number | 'none' | undefined
  /** Share of the seven-day usage limit that is used, 0 to 1; 0.05 by default. */
  readonly weekUtilization?: number | undefined
  /** Whether calls are paid beyond the plan: never, which is the default, once it is used up, or now. */
  readonly overage?: 'off' | 'allowed' | 'in-use' | undefined
  /** When the usage limit resets; by default at a full hour, one to two hours from now. */
  readonly limitResetsAt?: Date | undefined
  /** The clock for the dates of pages and arrivals. The usage limit uses the system clock. */
  readonly now?: (() => Date) | undefined
}

/** The options with their defaults, without the functions that each call is given to. */
export type SandboxSettings = {
  readonly [Name in Exclude<keyof SandboxOptions, 'scenario' | 'onCall' | 'onReply' | 'thinkMs'>]-?: NonNullable<
    SandboxOptions[Name]
  >
} & { readonly thinkMs: Readonly<Record<ModelCallKind, number>> }

/** Applies the defaults. */
export function settingsFrom(options: SandboxOptions): SandboxSettings {
  const { thinkMs = 0 } = options
  return {
    resultCount: options.resultCount ?? 8,
    excerptLength: options.excerptLength ?? 0,
    sites: options.sites ?? [],
    library: options.library ?? false,
    thinkMs: typeof thinkMs === 'number' ? thinkTimes({}, thinkMs) : thinkTimes(thinkMs),
    pace: options.pace ?? {},
    deltaPauseMs: options.deltaPauseMs ?? 100,
    utilization: options.utilization ?? 0.1,
    weekUtilization: options.weekUtilization ?? 0.05,
    overage: options.overage ?? 'off',
    limitResetsAt: options.limitResetsAt ?? new Date((Math.floor(Date.now() / hourMs) + 2) * hourMs),
    now: options.now ?? (() => new Date()),
  }
}

/** A call that searches and writes takes as long as the slower of the two, unless it has a time of its own. */
function thinkTimes(own: Readonly<Partial<Record<ModelCallKind, number>>>, usual = 0) {
  const { search = usual, write = usual, decide = usual } = own
  return { search, write, decide, answer: own.answer ?? Math.max(search, write) }
}

// Rounded to full hours because the CLI reports every change of this time.
const hourMs = 3_600_000
