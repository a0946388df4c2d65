import { diskReason, errorCode, messageOf } from '@csp/lib/errors'
import { SearchError } from '../domain/error.ts'

/** A store whose failures say to callers that nothing can be kept now: a disk that is full, a folder that is read-only. */
export function withStoreFailures<Store extends object>(open: () => Store): Store {
  const methods = Object.entries(attempt(open)).map(([name, method]) => [
    name,
    (...values: readonly unknown[]) => attempt(() => method(...values)),
  ])
  // The same methods.
  return Object.fromEntries(methods) as Store
}

function attempt<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw storeFailure(error)
  }
}

/** A failure of a store as its callers are told of it; any other is as it was. */
export function storeFailure(error: unknown): unknown {
  const code = String(errorCode(error) ?? '')
  if (!/^(?:SQLITE_|E[A-Z]+$)/.test(code)) return error
  // SQLite's words name no path.
  const reason = code.startsWith('SQLITE_') ? messageOf(error) : diskReason(code)
  return new SearchError('unavailable', `The state folder of csp cannot be used: ${reason}.`, { cause: error })
}
