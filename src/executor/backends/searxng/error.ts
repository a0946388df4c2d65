import type { HttpReply } from '@csp/lib/http-client'
import { retryAfter } from '@csp/lib/retry-after'
import { SearchError } from '../../../domain/error.ts'

/** Maps a SearXNG reply without results to a `SearchError`. */
export function explainSearxng({ status, headers, text }: HttpReply, now: Date, { host }: URL): SearchError {
  const place = `SearXNG at ${host}`
  const cause = `${status}: ${text.slice(0, 300)}`
  const failed = (code: ConstructorParameters<typeof SearchError>[0], message: string, retryAfterSeconds?: number) =>
    new SearchError(code, message, { cause, retryAfterSeconds })
  if (headers.get('cf-mitigated') === 'challenge') {
    return failed('unavailable', `${place} is protected by a browser check that csp cannot pass.`)
  }
  switch (status) {
    case 429: {
      const words = `${place} refuses csp as too frequent. Its limiter can let the address of csp pass (limiter.toml, pass_ip).`
      return failed('rate-limited', words, retryAfter(headers, now) ?? 60)
    }
    case 403: {
      const words = `${place} refuses JSON (403). Set search.formats: [html, json] in its settings.yml.`
      return failed('unavailable', words)
    }
    case 401:
      return failed('signed-out', `${place} wants a login, which csp does not have.`)
    case 400:
      return failed('invalid-request', `${place} refused the query${detailOf(text)}.`)
    case 404:
      return failed('unavailable', `${place} has no /search. Is the address right, with its path?`)
    case 200:
      return failed('unavailable', `${place} sent no list of results${isHtml(text) ? ', but a page for people' : ''}.`)
    default:
      return failed('unavailable', `${place} failed (${status}).`, retryAfter(headers, now))
  }
}

function detailOf(text: string): string {
  const words = /"error": ?"((?:[^"\\]|\\.){1,200})"/.exec(text)?.[1]
  return words ? `: ${words.replaceAll('\\"', '“')}` : ''
}

function isHtml(text: string): boolean {
  return /^\s*</.test(text)
}
