import { isCommon, isSpaceless } from '@csp/language/words'
import type { Doubt } from './evidence.ts'
import type { Scan } from './scan.ts'

/** Two names around the same verb that are in the other order, unless one of the sentences is passive. */
export function rolesInOtherOrder(said: Scan, page: Scan, language: string | undefined): Doubt | undefined {
  const byParticle = particleRoles(said, page)
  if (byParticle && isPassive(said.text) !== isPassive(page.text)) return undefined
  const byArticle = language === 'de' ? articleRoles(said, page) : undefined
  const swapped = byParticle ?? byArticle ?? namesAround(said, page, language) ?? blocksBehindVerb(said, page)
  if (!swapped) return undefined
  return { kind: 'order', said: swapped.join(' … '), page: swapped.toReversed().join(' … ') }
}

/** Whether the names of two sentences stand in the other order. */
export function areNamesReversed(said: Scan, page: Scan): boolean {
  const [own, its] = [onceIn(said), onceIn(page)]
  const names = [...own].filter(([key, at]) => its.has(key) && /^\p{Lu}/u.test(said.text.charAt(said.starts[at] ?? 0)))
  const places = names.map(([key]) => its.get(key) ?? 0)
  return places.some((place, index) => place < (places[index - 1] ?? 0))
}

/** Two numbers that changed places while the words around them did not. */
export function numbersInOtherOrder(said: Scan, page: Scan): Doubt | undefined {
  const [own, its] = [numbersIn(said), numbersIn(page)]
  const [words, wordsThere] = [onceIn(said), onceIn(page)]
  const anchors = [...words].filter(([stem]) => wordsThere.has(stem) && !/^\d/.test(stem) && !own.has(Number(stem)))
  const shared = [...own].filter(([value]) => its.has(value))
  for (const [value, at] of shared) {
    for (const [other, behind] of shared) {
      const [there, thereBehind] = [its.get(value) ?? 0, its.get(other) ?? 0]
      // Only two numbers of which the first is the second there have changed places.
      if (at >= behind || there <= thereBehind) continue
      const around = anchors.filter(([, spot]) => spot >= at - maxAround && spot <= behind + maxAround)
      const isBetween = around.some(([stem, spot]) => {
        const thereSpot = wordsThere.get(stem) ?? 0
        return spot > at && spot < behind && thereSpot > thereBehind && thereSpot < there
      })
      if (!isBetween || around.length < 2) continue
      const places = around.map(([stem]) => wordsThere.get(stem) ?? 0)
      const inOrder = places.slice(1).filter((spot, index) => spot > (places[index] ?? 0)).length
      if (inOrder < (places.length - 1) * minInOrder) continue
      return { kind: 'order', said: `${value} … ${other}`, page: `${other} … ${value}` }
    }
  }
  return undefined
}

/** In words. */
const maxAround = 6
const minInOrder = 0.75

/** The numbers that stand once in a text. */
function numbersIn({ figures }: Scan): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  const twice = new Set<number>()
  for (const { values, at } of figures) {
    const value = values[0]?.value ?? 0
    if (places.has(value)) twice.add(value)
    places.set(value, at)
  }
  for (const value of twice) places.delete(value)
  return places
}

type Swapped = readonly [string, string]

/** In Japanese and Korean particles tell who does what to whom. */
function particleRoles(said: Scan, page: Scan): Swapped | undefined {
  const [own, its] = [rolesIn(said.text), rolesIn(page.text)]
  const same = (one: string, other: string) =>
    one === other ||
    (one.length > 2 && other.length > 2 && one.slice(0, 2) === other.slice(0, 2) && !/[가-힣]/.test(one))
  for (const one of own.subjects) {
    for (const other of own.objects) {
      if (same(one, other)) continue
      const isSwapped = its.objects.some((name) => same(name, one)) && its.subjects.some((name) => same(name, other))
      if (isSwapped) return [one, other]
    }
  }
  return undefined
}

function rolesIn(text: string): { readonly subjects: readonly string[]; readonly objects: readonly string[] } {
  const found = [...text.matchAll(withParticle)]
  const of = (pattern: RegExp) =>
    found.filter(([, , particle = '']) => pattern.test(particle)).map(([, name = '']) => name)
  return { subjects: of(/^[はが은는이가]$/), objects: of(/^(?:を|に|から|을|를|에게서?|한테)$/) }
}

const withParticle =
  /([\p{Script=Han}\p{Script=Katakana}ー]{2,12}|\p{Script=Hangul}{2,8}?)(は|が|を|に|から|은|는|이|가|을|를|에게서|에게|한테)(?=[\s、。,.\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]|$)/gu

/** In German the article tells whether a man does something or has it done to him: `der Leiter`, `den Leiter`. */
function articleRoles(said: Scan, page: Scan): Swapped | undefined {
  const [own, its] = [onceIn(said), onceIn(page)]
  const isNoun = (found: Scan, at: number) => /^\p{Lu}/u.test(wordAt(found, at))
  const shared = [...own].filter(([key]) => its.has(key) && !/^\d/.test(key))
  const verbs = shared.filter(([key, at]) => !isNoun(said, at) && key.length >= 4)
  const nouns = shared.filter(([, at]) => isNoun(said, at))
  for (const [subject, object] of [
    [said, page],
    [page, said],
  ] as const) {
    if (verbs.length === 0 || notActive.test(subject.text) || passive.test(object.text)) continue
    const [places, placesThere] = subject === said ? [own, its] : [its, own]
    const before = (key: string) => [
      subject.words[(places.get(key) ?? 0) - 1],
      object.words[(placesThere.get(key) ?? 0) - 1],
    ]
    const doer = nouns.find(([key]) => before(key).join(' ') === 'der den')?.[0]
    const other = nouns.find(
      ([key]) =>
        key !== doer &&
        (places.get(key) ?? 0) > (places.get(doer ?? '') ?? 0) + 1 &&
        (placesThere.get(key) ?? 0) < (placesThere.get(doer ?? '') ?? 0) &&
        !before(key).some((word = '') => preposition.test(word)),
    )?.[0]
    if (doer === undefined || other === undefined) continue
    const names = [wordAt(said, own.get(doer)), wordAt(said, own.get(other))] as const
    return subject === said ? names : [names[1], names[0]]
  }
  return undefined
}

/** Names left and right of a word that both sentences have. */
function namesAround(said: Scan, page: Scan, language: string | undefined): Swapped | undefined {
  const [own, its] = [onceIn(said), onceIn(page)]
  const isUnspaced = isSpaceless(said.text.slice(0, 200))
  const isCased = /\p{Lu}|\p{Ll}/u.test(said.text)
  const isName = (found: Scan, at: number) =>
    isCased ? /^\p{Lu}/u.test(found.text.charAt(found.starts[at] ?? 0)) : true
  for (const [verb, at] of own) {
    const there = its.get(verb)
    if (there === undefined || symmetric.test(verb)) continue
    if (isCased && (isName(said, at) || /^\d/.test(verb) || verb.length < 4)) continue
    const sides = (found: Scan, places: ReadonlyMap<string, number>, place: number, step: -1 | 1) => {
      const names: string[] = []
      // Pairs of letters overlap.
      for (
        let next = place + (isUnspaced ? 2 : 1) * step;
        Math.abs(next - place) <= maxDistance && names.length < maxNames;
        next += step
      ) {
        const word = found.words[next]
        if (word === undefined) break
        const key = keyOf(word, found.stems[next] ?? '')
        // With an article it is no name: German nouns have capital letters.
        const isNoun = article.test(found.words[next - 1] ?? '')
        if (places.get(key) === next && isName(found, next) && !isNoun && !/^\d/.test(key)) names.push(key)
      }
      return names
    }
    const [left, right] = [sides(said, own, at, -1), sides(said, own, at, 1)]
    const [leftThere, rightThere] = [sides(page, its, there, -1), sides(page, its, there, 1)]
    const one = left.filter((name) => rightThere.includes(name))
    const other = right.filter((name) => leftThere.includes(name))
    // Letters without spaces are no whole words: some of them stay where they are.
    const isClear =
      isUnspaced || (!left.some((name) => leftThere.includes(name)) && !right.some((name) => rightThere.includes(name)))
    // Letters of a script without spaces are names only where there are several.
    const min = isUnspaced ? 2 : isCased ? 1 : 2
    if (!isClear || one.length < min || other.length < min) continue
    // German nouns look like names: one of these has two parts.
    if (language === 'de' && one.length < 2 && other.length < 2) continue
    if (isCased && Math.abs((said.words[at] ?? '').length - (page.words[there] ?? '').length) > maxEndings) continue
    if (hasOwnForms(own, its, said, page, [...one, ...other])) continue
    const voice = (found: Scan, places: ReadonlyMap<string, number>) => {
      const spots = [...one, ...other].map((name) => places.get(name) ?? 0)
      const [from, to] = [Math.min(...spots), Math.max(...spots)]
      return isPassive(found.text.slice(found.starts[from], found.ends[to]))
    }
    if (voice(said, own) !== voice(page, its)) continue
    return [wordAt(said, own.get(one[0] ?? '')), wordAt(said, own.get(other[0] ?? ''))]
  }
  return undefined
}

/** In Russian the endings tell who does what, not the order; names in quotation marks have none. */
function hasOwnForms(
  own: ReadonlyMap<string, number>,
  its: ReadonlyMap<string, number>,
  said: Scan,
  page: Scan,
  keys: readonly string[],
): boolean {
  if (!/\p{Script=Cyrillic}/u.test(said.text)) return false
  if (keys.some((key) => said.text.charAt((said.starts[own.get(key) ?? 0] ?? 0) - 1) === '«')) return false
  return keys.every((key) => said.words[own.get(key) ?? -1] === page.words[its.get(key) ?? -1])
}

/** Arabic begins with the verb: two names behind it that changed places. */
function blocksBehindVerb(said: Scan, page: Scan): Swapped | undefined {
  if (!/\p{Script=Arabic}/u.test(said.text)) return undefined
  const [own, its] = [onceIn(said), onceIn(page)]
  const shared = [...own].filter(([key]) => its.has(key) && !/^\d/.test(key))
  const places = shared.map(([key]) => its.get(key) ?? 0)
  // The verb, which may have another ending, then words that go back once: the second name stands first.
  const turn = places.findIndex((place, index) => place < (places[index - 1] ?? 0))
  const isVerb = (places[0] ?? 0) < (places[turn] ?? 0)
  const first = places.slice(isVerb ? 1 : 0, Math.max(turn, 0))
  const [low, high] = [Math.min(...first), Math.max(...first)]
  const end = places.findIndex((place) => place > high)
  const second = places.slice(turn, end < 0 ? places.length : end)
  const startsBehind = (shared[0]?.[1] ?? 0) > 0 && Math.min(...places) > 0
  const isRow = (block: readonly number[]) => Math.max(...block) - Math.min(...block) <= block.length
  const isBlock = isRow(first) && isRow(second) && first.length >= 2 && (isVerb || startsBehind)
  const isBefore = second.length >= 2 && second.every((place) => place < low)
  if (!isBlock || !isBefore || isPassive(said.text) !== isPassive(page.text)) return undefined
  return [wordAt(said, shared[turn - 1]?.[1]), wordAt(said, shared[turn + second.length - 1]?.[1])]
}

function wordAt({ text, starts, ends }: Scan, at = 0): string {
  return text.slice(starts[at], ends[at])
}

/** Russian names end in many ways. */
function keyOf(word: string, stem: string): string {
  return /^\p{Script=Cyrillic}/u.test(word) ? word.slice(0, 4) : stem
}

/** The words that stand once in a text, by their stems. */
function onceIn({ stems, words }: Scan): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const twice = new Set<string>()
  for (const [at, stem] of stems.entries()) {
    const word = words[at] ?? ''
    if (isCommon(word)) continue
    const key = keyOf(word, stem)
    if (places.has(key)) twice.add(key)
    places.set(key, at)
  }
  for (const key of twice) places.delete(key)
  return places
}

function isPassive(text: string): boolean {
  return passive.test(text)
}

/** In words. */
const maxDistance = 12
const maxNames = 6
/** In letters, between forms of one verb. */
const maxEndings = 3
const article = /^(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|im|am|zum|zur|vom|beim)$/
const preposition =
  /^(?:im|in|am|an|ans|ins|auf|aus|bei|beim|mit|nach|zu|zum|zur|seit|für|fur|gegen|über|uber|unter|vor|um|bis|ab|pro|je|ohne|wegen|des)$/
/** German sentences in which `der` does not tell who acts. */
const notActive = /(?<!\p{L})(?:den|dem|ihn|ihm|sich|von|vom|durch|wird|werden|wurden?|worden|ließ|lassen)(?!\p{L})/iu
const symmetric = /^(?:met|meet|marr|marri|play|with|against|versus|between|traf|heirat|spiel|contre|contra|против|и)/
const passive =
  /(?<!\p{L})(?:by|par|por|pelo|pela|da|dal|door|przez|من قبل|على يد)(?!\p{L})|(?<!\p{L})vo[nm](?!\p{L})|被|由(?!于)|受到|遭到|れ(?:た|て|る)|によって|에게서|당하|당했|받았/iu
