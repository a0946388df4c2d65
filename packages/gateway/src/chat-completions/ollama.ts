import { readLimited } from '@csp/lib/bytes'
import type { Fetch } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { parseUrl, withoutLastSlashes } from '@csp/lib/url'
import { z } from 'zod'

/** Whether a server may be Ollama: one on this machine, or in its network. Elsewhere nobody is asked. */
export function mayBeOllama(url: string): boolean {
  const host = parseUrl(url)?.hostname ?? ''
  return local.test(host) || !host.includes('.')
}

const local = /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$|\.(?:local|lan|internal|localhost)$/

/**
 * Whether Ollama answers below an address, by a question that only Ollama answers so. Other servers share its port, its machine
 * and its API, and do not deserve what it needs. `undefined` while nothing answers.
 */
export async function answersAsOllama(url: string, fetchWith: Fetch): Promise<boolean | undefined> {
  const place = new URL(url)
  place.pathname = `${withoutLastSlashes(place.pathname).replace(/\/v1$/, '')}/api/version`
  try {
    const response = await fetchWith(place.href, { redirect: 'manual', signal: AbortSignal.timeout(maxAskMs) })
    const text = await readLimited(response, maxReplyBytes)
    return response.ok && text !== undefined && version.safeParse(parseJson(text)).success
  } catch {
    return undefined
  }
}

const maxAskMs = 2000
const maxReplyBytes = 10_000

/** Nothing else: Open WebUI has a route of this name, too. */
const version = z.strictObject({ version: z.string() })
