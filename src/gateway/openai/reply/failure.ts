import type { ProviderMessage } from '../../translated/provider-error.ts'

/** The status of an error in a stream whose own status was 200, by its code. */
export function statusOf({ code = '' }: ProviderMessage): number {
  const status = statuses[code]
  if (status !== undefined) return status
  return /^(?:invalid|unsupported|image|empty_image|failed_to_download)_/.test(code) ? 400 : 502
}

const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
  context_length_exceeded: 400,
}
