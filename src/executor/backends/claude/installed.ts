import { timedOut, withTimeout } from '@csp/lib/abort'
import { toSearchError } from '../../../domain/error.ts'
import { fileAt } from './cli/find.ts'
import { ensureDirectory } from './cli/launch.ts'
import { type ClaudeProbe, probe, unusable } from './cli/probe.ts'
import type { EngineOptions } from './engine-options.ts'

export interface InstalledOptions {
  readonly engines: EngineOptions
  /** Starts the search server if necessary, and asks it what it offers. */
  readonly offersSearch: () => Promise<boolean>
  /** Hears of each CLI that can be used, before anything is asked of it. */
  readonly onFound: (found: ClaudeProbe) => void
  /** Has every process replaced: it was started from another CLI than the one that is there now. */
  readonly onUpdate: () => void
  readonly closing: AbortSignal
}

/** The installed CLI: what the last probe found, and whether another one has taken its place since. */
export class InstalledClaude {
  readonly #options: InstalledOptions
  #probe: Promise<ClaudeProbe> | undefined
  #found: ClaudeProbe | undefined
  #probedAt = 0
  /** Whether a probe starts the search server, to ask it what it offers. */
  #asksServer: boolean
  /** The CLI that processes are started from, as the last good probe found it. */
  #known: { readonly file: string | undefined; readonly version: string | undefined } | undefined
  #lookedAt = 0
  #isLooking = false
  /** The flags that csp uses and the CLI knows. */
  flags: ReadonlySet<string> = new Set()
  /** Whether the CLI offers WebSearch over MCP, as last found out. */
  hasDirect = true

  constructor(options: InstalledOptions) {
    this.#options = options
    this.#asksServer = options.engines.startsAhead ?? true
  }

  /** The last probe; probes again when that is old. `whenGoodMs`: how old one may be that found no problem. */
  probed(whenGoodMs = refreshMs): Promise<ClaudeProbe> {
    const last = this.#probe
    if (!last) return this.#startProbe()
    this.#look()
    return last.then((found) => {
      const isGood = !found.problem && found.signedIn !== false
      // Without WebSearch over MCP everything runs on agents, which cost more. Perhaps the server only failed to start.
      const patienceMs = !isGood ? retryMs : found.direct ? whenGoodMs : refreshMs
      const isOld = isPast(this.#probedAt, patienceMs)
      return isOld && this.#probe === last && !this.#options.closing.aborted
        ? this.#startProbe()
        : (this.#probe ?? last)
    })
  }

  /** What is known within a few seconds: a CLI that takes longer to answer is described as it was before. */
  async knownSoon(): Promise<ClaudeProbe> {
    const found = await withTimeout(this.probed(), this.#options.engines.describeMs ?? describeMs)
    return found === timedOut ? (this.#found ?? unusable('The Claude Code CLI has not answered yet.')) : found
  }

  /** From the first search on; what the last probe left out is found out now. */
  askServerToo(): void {
    if (this.#asksServer) return
    this.#asksServer = true
    if (!this.#probe) return
    const offering = this.#offersSearch()
    this.#probe = Promise.all([this.#probe, offering]).then(([found, direct]) => {
      if (!found.problem) this.hasDirect = direct
      return { ...found, direct }
    })
  }

  /** After a lost login: the next question probes again. */
  forget(): void {
    this.#options.engines.memory?.forgetLogin()
    this.#probedAt = 0
  }

  async settled(): Promise<void> {
    await this.#probe?.catch(() => {})
  }

  /**
   * Probes where the file is another one than at the last probe. Searches go on as they were meanwhile, and while the
   * new file cannot be used: it may be half written.
   */
  #look(): void {
    const { engines, closing } = this.#options
    if (this.#isLooking || closing.aborted || !isPast(this.#lookedAt, engines.lookMs ?? lookMs)) return
    this.#lookedAt = Date.now()
    const file = fileAt(engines.findBinary())
    if (!this.#known || !file || file === this.#known.file) return
    this.#isLooking = true
    const probing = this.#runProbe()
    void probing.then((found) => {
      this.#isLooking = false
      if (!found.problem) this.#probe = probing
    })
  }

  #startProbe(): Promise<ClaudeProbe> {
    this.#probedAt = Number.POSITIVE_INFINITY
    this.#probe = this.#runProbe()
    return this.#probe
  }

  /** Never throws. */
  async #runProbe(): Promise<ClaudeProbe> {
    const file = fileAt(this.#options.engines.findBinary())
    const found = await this.#askCli().catch((error) => unusable(toSearchError(error).forOthers))
    this.#probedAt = Date.now()
    this.#found = found
    if (found.problem) return found
    this.#options.onFound(found)
    this.flags = found.flags.known
    this.hasDirect = found.direct
    const { version } = found
    const before = this.#known
    this.#known = { file, version }
    if (!before || (before.file === file && before.version === version)) return found
    const changed = before.version === version ? `The Claude CLI (${version})` : `Version ${version} of the Claude CLI`
    this.#options.engines.log?.('info', `${changed} was installed: its processes are replaced`)
    this.#options.onUpdate()
    if (this.#asksServer) this.hasDirect = await this.#offersSearch()
    return { ...found, direct: this.hasDirect }
  }

  async #askCli(): Promise<ClaudeProbe> {
    const { engines, closing: signal } = this.#options
    const { environment, workingDirectory, auth } = engines
    ensureDirectory(workingDirectory)
    const offersSearch = async () => (this.#asksServer ? this.#offersSearch() : this.hasDirect)
    const named = engines.namedBinary
    // The first one may rest on what an earlier csp has found. Later ones look anew, and what they find is remembered.
    const memory = engines.memory && this.#found ? { ...engines.memory, recall: () => ({}) } : engines.memory
    const binary = engines.findBinary()
    return probe({ binary, named, environment, workingDirectory, auth, offersSearch, memory, signal })
  }

  #offersSearch(): Promise<boolean> {
    return this.#options.offersSearch().catch(() => false)
  }
}

/** The clock may have been set back. */
function isPast(since: number, ms: number): boolean {
  return Math.abs(Date.now() - since) > ms
}

const retryMs = 5000
const refreshMs = 60_000
const lookMs = 10_000
/** Half of what `csp status` waits for. */
const describeMs = 5000
