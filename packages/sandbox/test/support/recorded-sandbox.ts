import type { ModelCallKind } from '../../src/messages-request.ts'
import { createSandbox as create } from '../../src/sandbox.ts'
import type { Scenario } from '../../src/scenario.ts'
import type { SandboxOptions as CreateOptions, ReceivedCall } from '../../src/settings.ts'

/** As `src/sandbox` has them, with scenarios for all calls or for some. */
export interface SandboxOptions extends Omit<CreateOptions, 'scenario' | 'onCall' | 'onReply'> {
  /** One scenario for all calls, or rules, of which the first match applies. `ok` by default. */
  readonly scenario?: Scenario | readonly ScenarioRule[] | undefined
}

/** A scenario for some calls only. */
export interface ScenarioRule {
  readonly scenario: Scenario
  /** Absent: every kind. An `answer` is all of them at once, and plays what any other plays. */
  readonly kind?: ModelCallKind | undefined
  /** The number of matching calls that the rule applies to. Absent: no limit. */
  readonly times?: number | undefined
}

/** A sandbox whose calls are kept, and whose settings change while it runs. */
export interface Sandbox {
  /** Serves one HTTP request. Bound: it can be passed to a server, which should listen on loopback. */
  fetch(request: Request): Promise<Response>
  /** The last 1,000 model calls, oldest first. */
  requests(): readonly RecordedRequest[]
  stats(): SandboxStats
  /** Resolves as soon as the condition is true, immediately if it already is. */
  until(condition: (stats: SandboxStats) => boolean): Promise<void>
  /** Changes the given settings. A new scenario counts calls from now on. */
  configure(options: SandboxOptions): void
  /** Clears the recorded requests and restores the initial settings. */
  reset(): void
}

/** Creates a sandbox for a test. Nothing runs before the first request. */
export function createSandbox(initial: SandboxOptions = {}): Sandbox {
  const log = new CallLog()
  let picker = new ScenarioPicker()
  const hooks: CreateOptions = {
    scenario: (kind) => picker.next(kind),
    onCall: (call) => log.record(call),
    onReply: () => log.open(),
  }
  // The sandbox reads it at each call.
  const options: Record<string, unknown> = {}
  const configure = ({ scenario, ...rest }: SandboxOptions, isNew: boolean) => {
    if (isNew) picker = new ScenarioPicker(scenario)
    Object.assign(options, rest, hooks)
  }
  configure(initial, true)
  const sandbox = create(options)
  return {
    async fetch(request) {
      const close = log.open()
      try {
        return await sandbox.fetch(request)
      } finally {
        close()
      }
    },
    requests: () => log.recorded,
    stats: () => log.stats,
    until: (condition) => log.until(condition),
    configure: (changed) => configure(changed, 'scenario' in changed),
    reset() {
      log.clear()
      for (const name of Object.keys(options)) delete options[name]
      configure(initial, true)
    },
  }
}

/** Picks the scenario of each call: the first rule that matches and is not used up, otherwise `ok`. */
export class ScenarioPicker {
  readonly #rules: { readonly rule: ScenarioRule; left: number }[]

  constructor(rules: Scenario | readonly ScenarioRule[] = 'ok') {
    const list = typeof rules === 'string' ? [{ scenario: rules }] : rules
    this.#rules = list.map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }))
  }

  next(kind: ModelCallKind): Scenario {
    const entry = this.#rules.find(({ rule, left }) => left > 0 && [rule.kind ?? kind, 'answer'].includes(kind))
    if (!entry) return 'ok'
    entry.left -= 1
    return entry.rule.scenario
  }
}

/** A model call as received. Never contains a token or key. */
export interface RecordedRequest extends Omit<ReceivedCall, 'text' | 'headers'> {
  readonly headers: RecordedHeaders
  /** Length of the body. */
  readonly bytes: number
}

export interface SandboxStats {
  /** Requests of any kind that are not yet fully answered. */
  readonly open: number
  /** Model calls since the start or the last reset. */
  readonly calls: number
  readonly callsByKind: Readonly<Record<ModelCallKind, number>>
  /** Total size of the bodies of model calls. */
  readonly bytes: number
}

/** Keeps the last 1,000 model calls and counts all of them. */
class CallLog {
  #recorded: RecordedRequest[] = []
  #callsByKind = noCalls()
  #bytes = 0
  #open = 0
  #waiting: { readonly condition: (stats: SandboxStats) => boolean; readonly resolve: () => void }[] = []

  get recorded(): readonly RecordedRequest[] {
    return [...this.#recorded]
  }

  get stats(): SandboxStats {
    const callsByKind = { ...this.#callsByKind }
    return {
      open: this.#open,
      calls: Object.values(callsByKind).reduce((sum, count) => sum + count, 0),
      callsByKind,
      bytes: this.#bytes,
    }
  }

  /** Counts a request as open until the returned function is called. Calling it again does nothing. */
  open(): () => void {
    let isOpen = true
    this.#open += 1
    this.#changed()
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open -= 1
      this.#changed()
    }
  }

  record({ text, headers, ...call }: ReceivedCall): void {
    const bytes = Buffer.byteLength(text)
    this.#recorded.push({ ...call, headers: recordedHeaders(headers), bytes })
    if (this.#recorded.length > capacity) this.#recorded.shift()
    this.#callsByKind[call.kind] += 1
    this.#bytes += bytes
    this.#changed()
  }

  /** Resolves as soon as the condition is true, immediately if it already is. */
  until(condition: (stats: SandboxStats) => boolean): Promise<void> {
    if (condition(this.stats)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ condition, resolve }))
  }

  /** Clears everything except the count of open requests. */
  clear(): void {
    this.#recorded = []
    this.#callsByKind = noCalls()
    this.#bytes = 0
    this.#changed()
  }

  #changed(): void {
    const { stats } = this
    this.#waiting = this.#waiting.filter(({ condition, resolve }) => {
      if (!condition(stats)) return true
      resolve()
      return false
    })
  }
}

function noCalls(): Record<ModelCallKind, number> {
  return { search: 0, answer: 0, decide: 0, write: 0 }
}

const capacity = 1000

/** The headers that describe a client, without its token or key. */
interface RecordedHeaders {
  readonly auth: 'bearer' | 'api-key' | 'none'
  /** By name; headers that were not sent are absent. */
  readonly values: Readonly<Record<string, string>>
}

/** Keeps the headers that describe the client and its type of authentication, but not its credentials. */
function recordedHeaders(headers: Headers): RecordedHeaders {
  const auth = headers.has('x-api-key')
    ? 'api-key'
    : headers.get('authorization')?.startsWith('Bearer ')
      ? 'bearer'
      : 'none'
  const values = Object.fromEntries(
    namesOfInterest.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  return { auth, values }
}

const namesOfInterest = [
  'user-agent',
  'anthropic-version',
  'anthropic-beta',
  'x-app',
  'x-claude-code-session-id',
  'x-stainless-retry-count',
]
