import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the CLI stores the login of this HOME. */
export function credentialsIn(home: string): string {
  return join(home, '.claude', '.credentials.json')
}

/** Writes what the CLI writes when a person has signed in: a login that only the sandbox takes. */
export function signIn(home: string): void {
  mkdirSync(join(home, '.claude'), { recursive: true })
  const claudeAiOauth = {
    accessToken: 'sk-ant-oat01-sandbox',
    refreshToken: 'sk-ant-ort01-sandbox',
    expiresAt: Date.now() + 36_000_000,
    scopes: ['user:inference', 'user:profile'],
    subscriptionType: 'max',
  }
  writeFileSync(credentialsIn(home), JSON.stringify({ claudeAiOauth }), { mode: 0o600 })
}
