import { foldedWord, isSpaceless } from '@csp/language/words'
import { prefixTable, unitTable } from './unit-table.ts'

/** The kind of a unit, and how many of the first unit of its kind it is. */
export interface Unit {
  readonly kind: string
  readonly factor: number
  /** The unit that it is divided by: litres in `mg/l`, months in `dollars a month`. */
  readonly per?: Unit | undefined
}

/** A unit where it stands in a text. Several where its word means several. */
export interface WrittenUnit {
  readonly units: readonly Unit[]
  readonly start: number
  readonly end: number
}

/** The unit behind a number, or behind a word that says how large it is. Reads a bounded part of the text. */
export function unitBehind(text: string, numberEnd: number): WrittenUnit | undefined {
  const at = numberEnd + (shortScale.test(text.slice(Math.max(0, numberEnd - 4), numberEnd + 1)) ? 1 : 0)
  const behind = text.slice(at, at + maxBehind)
  const lead = /^(?:[\s\u00ad-]?(?:of|de|d[’']|di|von|من)?\s?)/.exec(behind)?.[0].length ?? 0
  const gaps = lead > 1 ? [/^[\s-]/.test(behind) ? 1 : 0, lead] : [lead]
  for (const gap of gaps) {
    const found = measureAtStart(behind.slice(gap))
    if (!found) continue
    const [start, end] = [at + gap, at + gap + found.length]
    const per = perBehind(text, end)
    return per ? { units: unitsPer(found.units, per.units), start, end: per.end } : { units: found.units, start, end }
  }
  return undefined
}

/** Reads the divisor that follows a unit: `/l`, `per 100 km`, `a month`. */
export function perBehind(
  text: string,
  at: number,
): { readonly units: readonly Unit[]; readonly end: number } | undefined {
  const behind = text.slice(at, at + maxBehind)
  const [lead = '', count = '1'] = perMark.exec(behind) ?? []
  const found = lead === '' ? undefined : measureAtStart(behind.slice(lead.length))
  // "In the year 2020" is a date.
  if (!found || /^\s\d/.test(behind.slice(lead.length + found.length))) return undefined
  const times = Number(count.replace(/\D/g, ''))
  const units = found.units.map(({ kind, factor }) => ({ kind, factor: factor * times }))
  return { units, end: at + lead.length + found.length }
}

/** Each of some units as a share of each of others. */
export function unitsPer(units: readonly Unit[], shares: readonly Unit[]): readonly Unit[] {
  return units.flatMap(({ kind, factor }) =>
    shares.map((per) =>
      kind === 'length' && per.kind === 'time'
        ? { kind: 'speed', factor: factor / per.factor }
        : { kind, factor, per: { kind: per.kind, factor: per.factor } },
    ),
  )
}

/** The sign or code of a currency before a number: `$5`, `US$ 5`, `EUR 5`. */
export function currencyBefore(text: string, at: number): WrittenUnit | undefined {
  const [, sign = '', gap = ''] =
    /((?:[A-Z]{1,3})?[$¥]|[€£₹₩₽₺]|\b[A-Z]{3}|\bRs|\bFr\.)(\s?[-−–]?)$/u.exec(text.slice(Math.max(0, at - 6), at)) ?? []
  const units = symbols.get(sign)?.filter(({ kind }) => kind.startsWith('money'))
  const end = at - gap.length
  return units && units.length > 0 ? { units, start: end - sign.length, end } : undefined
}

/** The codes of currencies that may stand right before an amount, as in `USD5.50`. */
export function currencyCodes(): readonly string[] {
  return [...symbols].flatMap(([sign, units]) => (isMoney(units) && /^(?:[A-Z]{3}|Rs)$/.test(sign) ? [sign] : []))
}

/** The currencies that "dollar" may mean: those whose names end with it. */
export function kindsOfDollars(): readonly string[] {
  const named = [...words].flatMap(([name, units]) => (/.dollar$/.test(name) ? units.map(({ kind }) => kind) : []))
  return [...new Set(named)]
}

const isMoney = (units: readonly Unit[]) => units.some(({ kind }) => kind.startsWith('money'))

interface FoundUnit {
  readonly units: readonly Unit[]
  readonly length: number
}

function measureAtStart(text: string): FoundUnit | undefined {
  const sign = /^(?:%[- ]?(?:Punkte?n?|points?|포인트|ポイント)|°\s?[CFмفم]|[A-Z]{1,2}\$|[%٪‰°℃℉€£$¥₹₩₽₺¢])/u.exec(
    text,
  )?.[0]
  if (sign !== undefined) {
    const known = sign.startsWith('%') && sign.length > 1 ? words.get('points') : symbols.get(sign.replace(/\s/, ''))
    return known && { units: known, length: sign.length }
  }
  const power = powerBefore.exec(text)?.[0] ?? ''
  const rest = text.slice(power.length)
  const found = isSpaceless(rest.slice(0, 1)) ? spacelessUnit(rest) : spacedUnit(rest)
  if (!found) return undefined
  const behind = rest.slice(found.length)
  const [after = ''] = power === '' ? (powerBehind.exec(behind) ?? []) : []
  const exponent = power === '' ? exponentOf(after) : exponentOf(power)
  const length = power.length + found.length + after.length
  if (exponent > 1) return { units: found.units.flatMap((unit) => raised(unit, exponent) ?? []), length }
  const hour = hourBehind.exec(behind)
  if (hour && found.units.some(({ kind }) => kind === 'power')) {
    const units = found.units.flatMap(({ kind, factor }) =>
      kind === 'power' ? { kind: 'energy', factor: factor * 3600 } : [],
    )
    return { units, length: length + hour[0].length }
  }
  return { units: found.units, length }
}

/** A word of at most three words, or a symbol. The longest one counts. */
function spacedUnit(text: string): FoundUnit | undefined {
  const first = firstWord.exec(text)?.[0] ?? ''
  const whole = beginsMany.has(foldedWord(first)) ? (manyWords.exec(text)?.[0] ?? '') : first
  for (let end = whole.length; end > 0; end = whole.slice(0, end).search(/[\s.-]+[^\s.-]*$/)) {
    const part = whole.slice(0, end)
    const units = known(part.replace(/[\s.-]+/g, '-'))
    if (units) return { units, length: end }
  }
  // "Swiss francs": whose they are stands before.
  const [, adjective = '', money = ''] = /^(\p{L}{4,14} )(\p{L}{3,12})(?!\p{L})/u.exec(text) ?? []
  const currency = known(money)?.filter(({ kind }) => kind.startsWith('money'))
  if (currency && currency.length > 0) return { units: currency, length: adjective.length + money.length }
  const symbol = /^[\p{L}µ]{1,24}(?![\p{L}\p{M}])/u.exec(text)?.[0] ?? ''
  const units = known(symbol)
  return units && { units, length: symbol.length }
}

/** What was looked up before: most words behind numbers are no units. */
const looked = new Map<string, readonly Unit[] | undefined>()

function known(part: string): readonly Unit[] | undefined {
  if (looked.has(part)) return looked.get(part)
  const units = lookUp(part)
  if (looked.size >= maxLooked) looked.clear()
  looked.set(part, units)
  return units
}

const maxLooked = 2000

function lookUp(part: string): readonly Unit[] | undefined {
  const symbol = symbols.get(part)
  if (symbol) return symbol
  const folded = foldedWord(part)
  const word = words.get(folded)
  if (word) return word
  const prefix = prefixes.find(([name]) => folded.startsWith(name))
  const base = prefix && words.get(folded.slice(prefix[0].length).replace(/^-/, ''))
  const scaled = base?.filter(({ isPrefixed }) => isPrefixed)
  return scaled && scaled.length > 0
    ? scaled.map(({ kind, factor }) => ({ kind, factor: factor * (prefix?.[1] ?? 1) }))
    : undefined
}

/** The longest unit that letters without spaces begin with. */
function spacelessUnit(text: string): FoundUnit | undefined {
  const run = /^[\p{L}ー%]{1,10}/u.exec(text)?.[0] ?? ''
  for (let length = run.length; length > 0; length--) {
    const units = known(run.slice(0, length))
    if (units) return { units, length }
  }
  return undefined
}

function raised({ kind, factor }: Unit, exponent: number): Unit | undefined {
  if (kind !== 'length') return undefined
  return { kind: exponent === 2 ? 'area' : 'volume', factor: factor ** exponent }
}

const exponentOf = (mark: string) =>
  mark === '' ? 1 : /[²2]|quad|cuad|sq|carr|квад|مربع|平方|(?<!세)제곱/iu.test(mark) ? 2 : 3

/** Their points end no sentence. */
const shortScale = /\b(?:Mio|Mrd|Tsd)\.$/
/** Characters that a unit may take behind its number. */
const maxBehind = 48
const powerBefore =
  /^(?:square |sq\.? |cubic |quadrat(?=\p{Ll})|kubik(?=\p{Ll})|квадратн\p{L}{1,4} |кубическ\p{L}{1,4} |кв\. ?|куб\. ?|平方|立方|세제곱|제곱)/iu
const powerBehind =
  /^(?:[²³23](?![\d.,]*\d)|\s(?:cuadrad[oa]s?|quadrad[oa]s?|carrés?|cubes?|cúbicos?|quadrati|cubi|مربع[ةا]?|مكعب[ةا]?)(?!\p{L}))/iu
const hourBehind = /^(?:h\b|[\s·-]?(?:hours?|stunden?|heures?|horas?|час(?:а|ов)?|ساعة)(?!\p{L})|时|時|시(?!간))/iu
/** What is between a unit and the one that it is a share of, with how many of them. */
const perMark =
  /^(?:\/|\s?[/／]\s?|\s(?:per|an?|each|every|pro|je|in der|im|am|par|à l[’']|por|al?|la|ao?|à|в|на|في|لكل)\s|毎|每|マイ)(?:(1000?|100?|1[.,\s]000)\s?)?/u
const firstWord = /^[\p{L}\p{M}µ/%$]{1,24}/u
const manyWords = /^[\p{L}\p{M}µ/%$]{1,24}(?:[\s.-]{1,2}[\p{L}\p{M}$]{1,24}){0,2}\.?/u

interface KnownUnit extends Unit {
  readonly isPrefixed: boolean
}

const symbols = new Map<string, readonly Unit[]>()
const words = new Map<string, readonly KnownUnit[]>()

const prefixRows = rowsOf(prefixTable).map(([factor = '', signs = '', names = '']) => ({
  factor: Number(factor),
  signs: partsOf(signs),
  names: partsOf(names).map(foldedWord),
}))
const prefixes = prefixRows.flatMap(({ factor, names }) => names.map((name) => [name, factor] as const))

for (const [measure = '', signs = '', names = ''] of rowsOf(unitTable)) {
  const [kind = '', written = ''] = measure.split(' ')
  const isPrefixed = written.endsWith('+')
  const factor = Number(written.replace('+', ''))
  for (const symbol of partsOf(signs)) {
    add(symbols, symbol, { kind, factor })
    if (!isPrefixed) continue
    for (const prefix of prefixRows) {
      for (const sign of prefix.signs) {
        const isOneScript = /^\p{Script=Cyrillic}/u.test(sign) === /^\p{Script=Cyrillic}/u.test(symbol)
        if (isOneScript) add(symbols, sign + symbol, { kind, factor: factor * prefix.factor })
      }
    }
  }
  for (const name of partsOf(names)) add(words, foldedWord(name), { kind, factor, isPrefixed })
}

/** What units of several words begin with. */
const beginsMany = new Set([
  ...prefixes.map(([name]) => name),
  ...[...words.keys(), ...symbols.keys()].flatMap((name) => {
    const [first = '', second] = name.split(/[-.]/)
    return second === undefined ? [] : [foldedWord(first)]
  }),
])

function add<Known>(map: Map<string, readonly Known[]>, name: string, unit: Known): void {
  map.set(name, [...(map.get(name) ?? []), unit])
}

function rowsOf(table: string): readonly (readonly string[])[] {
  return table.split('\n').map((row) => row.split('|'))
}

function partsOf(text: string): readonly string[] {
  return text.split(' ').filter((part) => part !== '')
}
