import type { SearchError } from '../../../domain/error.ts'

/** Whether a failure lies with whoever asked: no other backend, no second try and no older answer would mend it. */
export function isCallersOwn({ code }: SearchError): boolean {
  return code === 'invalid-request' || code === 'unauthorized' || code === 'cancelled'
}
