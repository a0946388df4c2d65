import type { OwnPrompts } from '../domain/own-prompts.ts'
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
  /** Absent if no CLI can run. */
  readonly createClaude?: (() => Executor) | undefined
  /** The operator's system prompts. */
  readonly prompts?: OwnPrompts | undefined
  /** Where the Messages API is, with --sandbox: the stand-in, which takes any key. */
  readonly sandboxUrl?: string | undefined
}

/**
 * The backends that the configuration names, in its order. Starts nothing by itself, and runs anywhere. Throws a `UsageError` for what cannot be made.
 */
export function createBackends(config: Config, parts: BackendParts = {}): readonly Executor[] {
  const { createClaude, sandboxUrl, prompts } = parts
  const { model, searchModel } = config
  const excerpts = config.excerpts === 'none' ? 'none' : 'lines'
  const make: Readonly<Record<BackendName, () => Executor>> = {
    claude: () => createClaude?.() ?? missing('claude'),
    searxng: () => searxng({ url: config.searxngUrl ?? missing('searxng'), version }),
    brave: () => brave({ key: config.braveApiKey ?? missing('brave'), version }),
    exa: () => exa({ key: config.exaApiKey ?? missing('exa'), version }),
    tavily: () => tavily({ key: config.tavilyApiKey ?? missing('tavily'), version }),
    serper: () => serper({ key: config.serperApiKey ?? missing('serper'), version }),
    'parallel-free': () => parallelFree({ version }),
    'exa-free': () => exaFree({ version }),
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
