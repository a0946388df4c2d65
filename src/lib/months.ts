/** The number of a month by its name as the language of a page writes it, or as the languages of most pages do. */
export function monthNumber(name: string, language = ''): number | undefined {
  const written = name.toLowerCase().replace(/\.$/, '')
  for (const known of [language, ...usual]) {
    const month = known ? namesIn(known).get(written) : undefined
    if (month !== undefined) return month
  }
  return undefined
}

const usual = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'pl', 'tr', 'uk', 'el', 'ar']

const known = new Map<string, ReadonlyMap<string, number>>()

/** By itself and beside a day, long and short: languages with cases have several names for a month. */
function namesIn(language: string): ReadonlyMap<string, number> {
  const kept = known.get(language)
  if (kept) return kept
  const names = new Map<string, number>()
  for (const style of styles) {
    const format = new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC', calendar: 'gregory' })
    for (let month = 0; month < 12; month++) {
      const part = format.formatToParts(Date.UTC(2001, month, 9)).find(({ type }) => type === 'month')
      names.set(part?.value.toLowerCase().replace(/\.$/, '') ?? '', month + 1)
    }
  }
  if (language === 'en') names.set('sept', 9)
  // Languages come from pages, which may name any.
  if (known.size < maxKnown) known.set(language, names)
  return names
}

const maxKnown = 100
const styles = [
  { month: 'long' },
  { month: 'short' },
  { month: 'long', day: 'numeric' },
  { month: 'short', day: 'numeric' },
] as const
