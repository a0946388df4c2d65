/** A tool as a model sees it. */
export interface OfferedTool {
  readonly name: string
  readonly description?: string | undefined
}

/** Whether a question clearly asks for a tool: it has a word of the tool's name, or two of its description. */
export function fits(question: string, { name, description = '' }: OfferedTool): boolean {
  const asked = new Set(wordsOf(question).map(stem))
  const said = (text: string) => new Set(tellingWords(text).filter((word) => asked.has(word))).size
  return said(apart(name)) >= 1 || said(description) >= 2
}

/** The words of a question that say what it is about, besides the tool: its names where it has some. */
export function subjectOf(question: string, { name, description = '' }: OfferedTool): string {
  const known = new Set(wordsOf(`${apart(name)} ${description}`).map(stem))
  const words = [...question.matchAll(/(^|[.!?]\s+)?(\S+)/g)].flatMap(([, beginning, text = '']) => {
    const word = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    const isTelling = word !== '' && !plain.has(word.toLowerCase()) && !known.has(stem(word.toLowerCase()))
    return isTelling ? [{ word, isName: beginning === undefined && /^\p{Lu}/u.test(word) }] : []
  })
  const names = words.filter(({ isName }) => isName)
  const subject = (names.length > 0 ? names : words).map(({ word }) => word).join(' ')
  return (subject || question).slice(0, 100)
}

/** `getWeather` and `get_weather` as `get weather`. */
function apart(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')
}

function tellingWords(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => word.length > 2 && !plain.has(word) && !general.has(word))
    .map(stem)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}

/** Words of any question. */
const plain = new Set(
  'a about an and any are as at be by can could did do does for from give given has have how i if in into is it its like me my no not now of on or our please should so tell than that the their them then there these they this those to today use using was we were what when where which who whose why will with would you your'.split(
    ' ',
  ),
)

/** Words of the names of any tools. */
const general = new Set(
  'action agent answer api ask call client create current data execute fetch find function get information input list look lookup make output query question read return returns run search send set show text tool update user value web write'.split(
    ' ',
  ),
)
