import type { PageReader } from '@csp/page-reader/page-reader'
import type { Receipts } from '../../domain/receipt.ts'
import { memoryBackend } from '../../executor/backends/memory/memory.ts'
import type { Executor } from '../../executor/executor.ts'
import { oldAnswerSeconds } from '../../executor/layers/cache/answer-cache.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import type { RememberingOptions } from '../../executor/layers/page-memory/remembering.ts'
import { createStack } from '../../executor/layers/stack.ts'
import { researched } from '../../research/researched.ts'
import { files } from '../../storage/files.ts'
import { openStore, type Store } from '../../storage/store.ts'
import type { LoadedConfig } from '../config/config.ts'
import { excerptSource } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { type BackendStackParts, type BackendStacks, createBackendStacks } from './backend-stacks.ts'

/** The folders that an executor works with. */
export interface Directories {
  /** Empty: what the CLI takes for its project. */
  readonly work: string
  readonly cache: string
}

/** What an executor works with besides its backends. */
export interface ExecutorParts extends BackendStackParts {
  readonly budget: Meter
  /** Where written answers leave their receipts, if they do. */
  readonly receipts: Receipts
  /** What csp has seen. Absent if nothing is kept. */
  readonly memory?: RememberingOptions | undefined
  /** Reads what its searches find; absent if no page may be read. */
  readonly pages?: PageReader | undefined
}

export interface CreatedExecutor extends Pick<BackendStacks, 'warm' | 'offered' | 'renewLogin' | 'planUsage'> {
  readonly executor: Executor
  /** Where its answers are kept. It outlives the executor; its creator closes it. */
  readonly store: Store
}

/** The backends, each behind what keeps it in working order; before them what they share. */
export function createExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  directories: Directories,
  { budget, receipts, memory, pages, ...parts }: ExecutorParts,
  log: Log,
): CreatedExecutor {
  const { backends, writers, ...claudeParts } = createBackendStacks(config, environment, directories.work, log, parts)
  const store = openStore(files({ directory: directories.cache }))
  const executor = createStack(backends, {
    instructions: config.instructionsText,
    defaultLanguage: config.defaultLanguage,
    merge: config.merge,
    cache: {
      storage: store,
      ttlSeconds: config.cacheTtl,
      oldSeconds: oldAnswerSeconds,
      scope: config.cacheScope,
      prompts: config.ownPrompts,
    },
    research: researched,
    excerpts: pages && {
      reader: pages,
      source: excerptSource(config),
      waitMs: config.sandbox ? { all: ownPagesMs, most: ownPagesMs } : undefined,
    },
    memory: memory && { ...memory, backend: memoryBackend(memory) },
    evidence:
      config.evidence === 'off'
        ? undefined
        : {
            mode: config.evidence,
            receipts: config.receipts === 'on' ? receipts : undefined,
            timeoutMs: config.timeout * 1000,
            waitMs: config.sandbox ? ownPagesMs : undefined,
          },
    paging: { ttlSeconds: config.cacheTtl, scope: config.cacheScope },
    meter: budget,
    writers,
    areWritersNamed: config.writers !== undefined,
  })
  return { executor, store, ...claudeParts }
}

/** The pages of the sandbox are csp's own, and need no network: however busy the machine is, answers rest on them. */
const ownPagesMs = 10_000
