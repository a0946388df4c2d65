/** What the headers tell about a client, without its token or key. */
export interface RecordedHeaders {
  readonly auth: 'bearer' | 'api-key' | 'none'
  /** By name, those that tell something about the client; absent where it sent none. */
  readonly values: Readonly<Record<string, string>>
}

/** Keeps the headers that tell something about the client, and how it signed in, but not with what. */
export function recordedHeaders(headers: Headers): RecordedHeaders {
  const auth = headers.has('x-api-key')
    ? 'api-key'
    : headers.get('authorization')?.startsWith('Bearer ')
      ? 'bearer'
      : 'none'
  const values = Object.fromEntries(
    namesOfInterest.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  return { auth, values }
}

const namesOfInterest = [
  'user-agent',
  'anthropic-version',
  'anthropic-beta',
  'x-app',
  'x-claude-code-session-id',
  'x-stainless-retry-count',
]
