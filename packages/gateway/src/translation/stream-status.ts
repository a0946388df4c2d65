import { errorStatus } from '@csp/messages-api/error'
import { z } from 'zod'
import { readProviderError } from './provider-error.ts'

/** The status of an error in a reply of 200: its code where that is a status, else what its code or its type means. */
export function statusInStream(error: unknown): number {
  const numeric = z.looseObject({ code: z.coerce.number().int().min(400).max(599) }).safeParse(error).data
  if (numeric) return numeric.code
  const { code = '', type = '' } = readProviderError(error)
  if (/^(?:invalid_api_key|authentication_error)$/.test(code)) return 401
  const known = statuses[code]
  if (known !== undefined) return known
  if (/^(?:invalid|unsupported|image|empty_image|failed_to_download)_/.test(code)) return 400
  return statuses[type] ?? 502
}

const statuses: Readonly<Record<string, number>> = {
  ...errorStatus,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
  context_length_exceeded: 400,
  invalid_request: 400,
  BadRequestError: 400,
}
