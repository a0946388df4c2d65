import type { OwnPrompts } from '../domain/own-prompts.ts'
import { answering } from '../executor/answer/answering.ts'
import { brave } from '../executor/backends/brave/brave.ts'
import { exa } from '../executor/backends/exa/exa.ts'
import { exaFree, parallelFree } from '../executor/backends/free/free.ts'
import { messages } from '../executor/backends/messages/messages.ts'
import { remote } from '../executor/backends/remote/remote.ts'
import { searxng } from '../executor/backends/searxng/searxng.ts'
import { serper } from '../executor/backends/serper/serper.ts'
import { tavily } from '../executor/backends/tavily/tavily.ts'
import type { Executor } from '../executor/executor.ts'
import { urlFetcher } from '../executor/wire/fetcher.ts'
import type { BackendName } from './config/declarations/backends.ts'
import type { Config } from './config/settings.ts'
import { UsageError } from './config/usage-error.ts'
import { version } from './version.ts'

export interface BackendParts {
  /** Called once, where `claude` is among the backends. Absent if no CLI can run. */
  readonly createClaude?: (() => { readonly backend: Executor; readonly writer: Executor }) | undefined
  /** The operator's system prompts. */
  readonly prompts?: OwnPrompts | undefined
  /** Where the Messages API is, with --sandbox: the stand-in, which takes any key. */
  readonly sandboxUrl?: string | undefined
}

/**
 * The backends that the configuration names, in its order. Those without a model get their answers written by Claude
 * where it is among them. Starts nothing by itself, and runs anywhere. Throws a `UsageError` for what cannot be made.
 */
export function createBackends(config: Config, parts: BackendParts = {}): readonly Executor[] {
  const { createClaude, sandboxUrl, prompts } = parts
  const claude = config.backends.includes('claude') ? createClaude?.() : undefined
  const writer = claude?.writer
  const { model, searchModel } = config
  const excerpts = config.excerpts === 'none' ? 'none' : 'lines'
  const make: Readonly<Record<BackendName, () => Executor>> = {
    claude: () => claude?.backend ?? missing('claude'),
    searxng: () => answering(searxng({ url: config.searxngUrl ?? missing('searxng'), version }), writer),
    brave: () => answering(brave({ key: config.braveApiKey ?? missing('brave'), version }), writer),
    exa: () => answering(exa({ key: config.exaApiKey ?? missing('exa'), version }), writer),
    tavily: () => answering(tavily({ key: config.tavilyApiKey ?? missing('tavily'), version }), writer),
    serper: () => answering(serper({ key: config.serperApiKey ?? missing('serper'), version }), writer),
    'parallel-free': () => answering(parallelFree({ version }), writer),
    'exa-free': () => answering(exaFree({ version }), writer),
    messages() {
      const key = sandboxUrl === undefined ? config.anthropicApiKey : 'sandbox-key-that-opens-nothing'
      const apiKey = key ?? missing('messages')
      return messages({ apiKey, url: sandboxUrl, model, searchModel, excerpts, prompts, version })
    },
    remote: () => remote({ fetcher: urlFetcher(config.remoteUrl ?? missing('remote'), config.remoteKey) }),
  }
  return config.backends.map((name) => make[name]())
}

/** The configuration has been checked for this where it was loaded; here it was put together by hand. */
function missing(name: BackendName): never {
  throw new UsageError(`The backend ${name} cannot be used here.`)
}
