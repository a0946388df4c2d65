import { isHomeName, minSecretLength } from './login.ts'

/** The variables of the Worker that let homes in. */
export interface SecretVariables {
  /** One secret for all homes that have none of their own. */
  readonly CSP_CONNECT_SECRET?: unknown
  /** `NAME=SECRET` for each home that has its own, with commas between them. */
  readonly CSP_HOME_SECRETS?: unknown
}

/** The secret that a home of this name signs its login with. `undefined`: it has none. */
export type SecretOf = (home: string) => string | undefined

/**
 * Reads the secrets of homes. A home with a secret of its own can log in with no other. Returns what is wrong in place of
 * them: without a secret nobody is let in, and one list that cannot be read closes the edge to all homes, since a home
 * could otherwise use the secret for all instead of its own.
 */
export function homeSecrets(variables: SecretVariables): SecretOf | 'no-secret' | 'malformed-secrets' {
  const shared = variableText(variables.CSP_CONNECT_SECRET)
  const own = readOwn(variableText(variables.CSP_HOME_SECRETS))
  if (!own) return 'malformed-secrets'
  const isUsable = shared.length >= minSecretLength
  if (!isUsable && own.size === 0) return 'no-secret'
  return (home) => own.get(home) ?? (isUsable ? shared : undefined)
}

function readOwn(list: string): ReadonlyMap<string, string> | undefined {
  const pairs = list.split(/[\s,]+/).filter(Boolean)
  const own = new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, Math.max(0, end)), pair.slice(end + 1)] as const
    }),
  )
  const isRight = [...own].every(([name, secret]) => isHomeName(name) && secret.length >= minSecretLength)
  return isRight && own.size === pairs.length ? own : undefined
}

function variableText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
