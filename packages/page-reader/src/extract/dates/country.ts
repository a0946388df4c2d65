import { parseUrl } from '@csp/lib/url'
import type { Language } from './written.ts'

/** The day on which a moment was where a site is at home, by the last part of its name. `undefined` if that says nothing. */
export function dayAtHome(moment: number, url: string): string | undefined {
  const zone = zones.get(countryOf(url))
  if (!zone || Number.isNaN(moment)) return undefined
  // The Swedish format is YYYY-MM-DD.
  return new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' }).format(moment)
}

/** English as the site's country writes it: elsewhere than in the United States, the day stands before the month. */
export function localEnglish(language: Language, url: string): Language {
  const country = countryOf(url)
  return language === 'en' && dayFirst.has(country) ? `en-${country === 'uk' ? 'GB' : country.toUpperCase()}` : language
}

function countryOf(url: string): string {
  return parseUrl(url)?.hostname.split('.').at(-1) ?? ''
}

const dayFirst: ReadonlySet<string> = new Set('uk ie au nz in za sg hk my ng ke gh pk lk mt'.split(' '))

/** Countries with one time zone, or with zones so near that most people live in one. */
const zones: ReadonlyMap<string, string> = new Map(
  `ar America/Argentina/Buenos_Aires, at Europe/Vienna, au Australia/Sydney, be Europe/Brussels, br America/Sao_Paulo,
  ca America/Toronto, ch Europe/Zurich, cl America/Santiago, cn Asia/Shanghai, cz Europe/Prague, de Europe/Berlin,
  dk Europe/Copenhagen, es Europe/Madrid, fi Europe/Helsinki, fr Europe/Paris, gr Europe/Athens, hu Europe/Budapest,
  in Asia/Kolkata, it Europe/Rome, jp Asia/Tokyo, kr Asia/Seoul, mx America/Mexico_City, nl Europe/Amsterdam,
  no Europe/Oslo, nz Pacific/Auckland, pl Europe/Warsaw, pt Europe/Lisbon, ro Europe/Bucharest, ru Europe/Moscow,
  se Europe/Stockholm, th Asia/Bangkok, tr Europe/Istanbul, tw Asia/Taipei, ua Europe/Kyiv, vn Asia/Ho_Chi_Minh,
  za Africa/Johannesburg`
    .split(/,\s+/)
    .map((entry) => entry.split(' ', 2) as [string, string]),
)
