import { SearchError, toSearchError } from '../../domain/error.ts'
import type { Executor } from '../../executor/executor.ts'

/** An executor that is loaded when it is first needed, so that the server can listen before its parts are read. */
export function deferred(name: string, load: () => Promise<Executor>): Executor {
  let loading: Promise<Executor> | undefined
  let isClosed = false
  const loaded = async (): Promise<Executor> => {
    if (isClosed) throw new SearchError('unavailable', 'csp is stopping.')
    loading ??= load()
    try {
      return await loading
    } catch (error) {
      throw toSearchError(error)
    }
  }
  return {
    name,
    async *search(request, context) {
      const executor = await loaded()
      yield* executor.search(request, context)
    },
    async health() {
      try {
        return await (await loaded()).health()
      } catch (error) {
        return { ready: false, backends: [{ name, ready: false, problem: toSearchError(error).message }] }
      }
    },
    async close() {
      isClosed = true
      const executor = await loading?.catch(() => undefined)
      await executor?.close()
    },
  }
}
