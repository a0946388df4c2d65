import { oneLine } from '@csp/lib/text'
import { PageError, type PageErrorCode } from '../page-error.ts'
import { protectorByMarks } from '../protectors.ts'
import { countWords } from './blocks/blocks.ts'
import { hiddenIn } from './overlays.ts'
import type { Document, Element } from './tree/nodes.ts'
import { consentShare, isConsentWall, maxConsent, minConsent, saysMissing } from './walls.ts'

/** A page with more text than this has something to read, whatever else stands in it. In characters. */
export const maxObstacle = 500

/** Challenges explain themselves at greater length. */
const maxChallenge = 2000

/** Why a page has nothing to read but these few words, if it has not. `open` gives the document as it was sent. */
export function obstacleIn(html: string, text: string, open: () => Document, url = ''): PageError | undefined {
  const protector =
    text.length < maxChallenge ? protectorByMarks(html, text.length < maxObstacle ? '' : text) : undefined
  if (protector) return challenged(protector)
  const mayAsk = text.length < maxConsent && consentShare(text) >= minConsent
  if (text.length >= maxObstacle && !mayAsk) return undefined
  const document = open()
  if (mayAsk && isConsentWall(document, text, url)) return wantsConsent()
  if (text.length >= maxObstacle) return undefined
  if (saysMissing(document, text, url)) return saidMissing()
  if (isLogin(document, text)) return new PageError('needs-login', 'The page shows only a login.')
  const isNotice = asksForBrowser(text) || isLoading(text)
  if (text && !isNotice && !(countWords(text) < fewWords && asksForBrowser(document.body.textContent ?? ''))) {
    return undefined
  }
  return isNotice || hasScripts(document)
    ? new PageError('needs-scripts', 'The page has no text without its scripts. Only a browser can show it.')
    : new PageError('empty', 'There is no text in the page.')
}

/** Whether scripts might have what the page does not show. */
export function isShell(code: PageErrorCode): boolean {
  return code === 'needs-scripts' || code === 'empty'
}

export function saidMissing(): PageError {
  return new PageError('not-found', 'The site says that this page does not exist.')
}

export function wantsConsent(): PageError {
  return new PageError('needs-consent', 'The site asks for consent to cookies before it shows the page.')
}

export function challenged(protector: string, status?: number): PageError {
  const said = status === undefined ? '' : ` (${status})`
  const message = `${protector} asks for proof of a human before it shows the page${said}.`
  return new PageError('blocked-by-challenge', message, { status })
}

/** A field for a password in the middle of a page that has no sentence besides. Many pages have one at their edge. */
function isLogin(document: Document, text: string): boolean {
  const fields = [...document.querySelectorAll('input[type="password" i]')].filter((each) => !each.closest(edges))
  const unseen = fields.length > 0 ? new Set(hiddenIn(document)) : undefined
  const field = fields.find((each) => !isInside(each, unseen))
  return field !== undefined && !text.split('\n').some((line) => countWords(line) >= minSentence)
}

function isInside(element: Element, others: ReadonlySet<Element> | undefined): boolean {
  for (let at: Element | null = element; at; at = at.parentElement) if (others?.has(at)) return true
  return false
}

const edges = 'header, footer, nav, aside, dialog, template, [role="dialog"], [aria-modal="true"]'
const minSentence = 12

/** Pages that show nothing without a browser say so, in a few words. */
function asksForBrowser(text: string): boolean {
  return scriptNotice.test(oneLine(text.slice(0, 20_000)))
}

const scriptNotice =
  /(?:enable|turn on|requires?|activate|aktivier\w{0,4}|activ(?:er|ez|a|e|ar)|habilit\w{0,4}|attiva\w{0,3}|включите) (?:[\p{L}']{1,12} ){0,3}java ?script|java ?script (?:[\p{L}']{1,12} ){0,3}(?:required|disabled|aktivier\w{0,4}|deaktiviert|désactivé|desactivado)|java ?script\s?(?:を有効|を啟用|を启用|를 활성화)|(?:启用|啟用|开启) ?java ?script/iu

function isLoading(text: string): boolean {
  return countWords(text) <= 6 && loadingNotice.test(text)
}

const loadingNotice =
  /^\W{0,5}(?:loading|please wait|just a (?:moment|second)|one moment|wird geladen|laden|chargement|cargando|caricamento|carregando|загрузка|読み込み中|加载中|載入中|로딩)/i

/** Whether anything could write text into the page. Data cannot. */
function hasScripts(document: Document): boolean {
  return [...document.querySelectorAll('script, link[as="script" i], link[rel="modulepreload" i]')].some(
    (script) => !/json|rules/i.test(script.getAttribute('type') ?? ''),
  )
}

/** In words: with fewer, a page may be a shell. */
export const fewWords = 25
