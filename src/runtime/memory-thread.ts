import { parentPort } from 'node:worker_threads'
import { messageOf } from '../lib/errors.ts'
import { MemoryFile } from '../storage/memory/memory-file.ts'
import type { MemoryCall, MemoryReply } from '../storage/memory/protocol.ts'

/** The thread in which memory is written and searched, as `open-memory.ts` starts it: the server answers meanwhile. */
export function keepMemory(): void {
  let file: MemoryFile | undefined
  let failure: unknown
  parentPort?.on('message', ({ id, work }: MemoryCall) => {
    let reply: Omit<MemoryReply, 'id'>
    try {
      if ('open' in work) file = new MemoryFile(work.open)
      if (!file) throw failure
      reply = run(file, work)
    } catch (error) {
      failure = error
      reply = { error: messageOf(error) }
    }
    parentPort?.postMessage({ id, ...reply, problem: file?.problem } satisfies MemoryReply)
  })
}

function run(file: MemoryFile, work: MemoryCall['work']): Omit<MemoryReply, 'id'> {
  if ('recall' in work) return { rows: file.recall(work.recall) }
  if ('excerpts' in work) return { excerpts: file.excerpts(work.excerpts) }
  if ('stats' in work) return { stats: file.stats(work.stats.owner) }
  if ('keep' in work) file.keep(work.keep)
  const forgotten = 'forget' in work ? file.forget(work.forget) : undefined
  const size = file.size()
  if ('close' in work) file.close()
  return { ...size, forgotten }
}
