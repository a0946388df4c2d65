import type { PageErrorCode } from '../../domain/page.ts'
import type { Failure } from '../dialect.ts'

/** What a request fails with whose only page could not be read. */
export const pageFailureCodes = {
  'invalid-url': 'invalid-request',
  'not-allowed': 'forbidden',
  'refused-by-site': 'page-unreadable',
  'not-found': 'page-unreadable',
  'site-failed': 'page-unreadable',
  unreachable: 'page-unreadable',
  'bad-certificate': 'page-unreadable',
  'too-large': 'page-unreadable',
  'unsupported-type': 'page-unreadable',
  'no-content': 'page-unreadable',
  busy: 'busy',
  timeout: 'timeout',
  cancelled: 'cancelled',
  failed: 'failed',
} as const satisfies Record<PageErrorCode, Failure['code']>
