import { parentPort } from 'node:worker_threads'
import { errorCode, messageOf } from '@csp/lib/errors'
import type { Forgetting } from '../domain/memory.ts'
import { MemoryFile, type MemoryFileOptions } from '../storage/page-memory/memory-file.ts'
import type { MemoryCall, MemoryReply } from '../storage/page-memory/protocol.ts'

/** The thread in which memory is written and searched, as `open-memory.ts` starts it: the server answers meanwhile. */
export function keepMemory(): void {
  let file: MemoryFile | undefined
  let opening: MemoryFileOptions | undefined
  let tidying: Timer | undefined
  const tidy = (): void => {
    clearTimeout(tidying)
    // Others are answered between two steps. What cannot be done now is done when the file is opened again.
    if (attempt(() => file?.tidy()) === true) tidying = setTimeout(tidy, pauseMs)
  }
  parentPort?.on('message', async ({ id, work }: MemoryCall) => {
    let reply: Omit<MemoryReply, 'id'>
    try {
      if ('open' in work) opening = work.open
      if ('close' in work) clearTimeout(tidying)
      const isNew = !file
      // What could not be opened may be by now.
      if (opening && !('close' in work)) file ??= new MemoryFile(opening)
      reply = !file ? {} : 'forget' in work ? await forget(file, work.forget) : run(file, work)
      if (isNew || 'forget' in work) tidy()
    } catch (error) {
      reply = { error: messageOf(error), code: String(errorCode(error) ?? '') }
    }
    parentPort?.postMessage({ id, ...reply, problem: file?.problem } satisfies MemoryReply)
  })
}

/** Between two steps, for the calls of others. */
const pauseMs = 10

async function forget(file: MemoryFile, what: Forgetting): Promise<Omit<MemoryReply, 'id'>> {
  const steps = file.forgetting(what)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  return { ...file.size(), forgotten: step.value }
}

function run(file: MemoryFile, work: Exclude<MemoryCall['work'], { forget: unknown }>): Omit<MemoryReply, 'id'> {
  if ('recall' in work) return { rows: file.recall(work.recall) }
  if ('excerpts' in work) return { excerpts: file.excerpts(work.excerpts) }
  if ('stats' in work) return { stats: file.stats(work.stats.owner) }
  if ('keep' in work) file.keep(work.keep)
  const size = file.size()
  if ('close' in work) file.close()
  return size
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
