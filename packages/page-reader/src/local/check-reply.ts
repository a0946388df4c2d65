import { parseUrl } from '@csp/lib/url'
import { countWords } from '../extract/blocks/blocks.ts'
import { challenged, maxObstacle, saidMissing, wantsConsent } from '../extract/obstacles.ts'
import {
  consentShare,
  isConsentAddress,
  isMissingAddress,
  maxConsent,
  maxMissing,
  minConsent,
} from '../extract/walls.ts'
import { PageError } from '../page-error.ts'
import { protectorByHeaders, protectorByMarks } from '../protectors.ts'
import type { FetchReply } from './fetch-page.ts'

/** Throws a `PageError` for a reply that is no page. */
export function checkReply({ status, headers, body }: Pick<FetchReply, 'status' | 'headers' | 'body'>): void {
  const isPage = status >= 200 && status < 300
  if (isPage && status !== 202) return
  const protector =
    protectorByHeaders(headers) ?? protectorByMarks(new TextDecoder().decode(body.subarray(0, maxMarked)))
  if (protector && (isPage || status >= 400)) throw challenged(protector, status)
  if (isPage) return
  if (status === 404 || status === 410)
    throw new PageError('not-found', `There is no such page (${status}).`, { status })
  if (status === 401) throw new PageError('needs-login', 'The site asks for a login for this page (401).', { status })
  if (refusals.has(status)) {
    throw new PageError('blocked-by-status', `The site refuses to show the page (${status}).`, { status })
  }
  throw new PageError('site-failed', `The site answered with an error (${status}).`, { status })
}

/** In bytes: where the marks of a challenge stand. */
const maxMarked = 200_000

/** It wants money, another reader or fewer requests, or may not show it here. 999 is one site's own. */
const refusals: ReadonlySet<number> = new Set([402, 403, 407, 429, 451, 999])

/** Throws if the page redirected to a login form, a question for consent or a "not found" page. */
export function checkLed(asked: string, led: URL, text: string): void {
  const isConsent = text.length < maxConsent && consentShare(text) >= minConsent
  if (isConsent && isConsentAddress(led.href) && !isConsentAddress(asked)) throw wantsConsent()
  if (countWords(text) < maxMissing && isMissingAddress(led.pathname) && !isMissingAddress(asked)) throw saidMissing()
  const from = parseUrl(asked)
  if (text.length < maxObstacle && from && isLoginAddress(led) && !isLoginAddress(from)) {
    throw new PageError('needs-login', 'The site asks for a login for this page.')
  }
}

function isLoginAddress({ hostname, pathname }: URL): boolean {
  return loginHost.test(hostname) || loginPath.test(pathname.slice(0, 500))
}

const loginHost = /^(?:login|signin|sso|auth|accounts|idp)\./i
const loginPath =
  /(?:^|[/._-])(?:log-?in|log_in|sign-?in|sign_in|signon|sso|saml2?|oauth2?|authorize|authenticate|einloggen|anmelden|connexion)(?:$|[/._-])/i
