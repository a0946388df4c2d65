/** The consequences of a failure of a page. */
export interface PageErrorTraits {
  /** A few words for people who wait: `example.com: …`. */
  readonly words: string
  /** Its site refuses or cannot be reached, so its other pages would most likely fail as well. */
  readonly isOfSite: boolean
  /** Temporary: another attempt may succeed. */
  readonly isPassing: boolean
}

/** Why a page could not be read: the same codes in every route, with all that follows from each. */
const traits = {
  'invalid-url': of('is not an address of a page'),
  'not-allowed': of('may not be read from here'),
  'blocked-by-robots': ofSite('its robots.txt does not allow reading'),
  'blocked-by-status': ofSite('its site refused'),
  'blocked-by-challenge': ofSite('its site asks for proof of a human'),
  'needs-login': ofSite('needs a login'),
  'needs-consent': ofSite('asks for consent first'),
  'needs-scripts': of('shows nothing without its scripts'),
  empty: of('has no text'),
  'not-found': of('does not exist'),
  'site-failed': of('its site has an error'),
  unreachable: ofSite('cannot be reached'),
  'bad-certificate': ofSite('its certificate is not valid'),
  'too-large': of('is too large'),
  'unsupported-type': of('is not text'),
  busy: { ...of('is still queued'), isPassing: true },
  timeout: ofSite('does not answer'),
  cancelled: { ...of('was cancelled'), isPassing: true },
  failed: of('could not be parsed'),
} satisfies Record<string, PageErrorTraits>

/** A code of a `PageError`. */
export type PageErrorCode = keyof typeof traits

/** All codes, for tables that are made of them. */
export const pageErrorCodes = Object.keys(traits) as readonly PageErrorCode[]

/** The traits of a code: words for people, whether the whole site is affected, whether a retry may succeed. */
export function pageErrorTraits(code: PageErrorCode): PageErrorTraits {
  return traits[code]
}

function of(words: string): PageErrorTraits {
  return { words, isOfSite: false, isPassing: false }
}

function ofSite(words: string): PageErrorTraits {
  return { words, isOfSite: true, isPassing: false }
}

/** The only error that a `PageReader` throws. Its message is safe to show to the caller. */
export class PageError extends Error {
  override readonly name = 'PageError'
  readonly code: PageErrorCode
  /** The HTTP status of the site, if it replied. */
  readonly status: number | undefined
  /** The step that would let the page be read: opening its host, or a search that finds it. */
  readonly remedy: 'open-host' | 'search-first' | undefined

  constructor(code: PageErrorCode, message: string, options: Partial<Pick<PageError, PageErrorDetail>> = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status
    this.remedy = options.remedy
  }
}

type PageErrorDetail = 'cause' | 'status' | 'remedy'

/** The error for an address that the request itself excludes. */
export function excluded(): PageError {
  return new PageError('not-allowed', 'The domains of the request exclude this address.')
}
