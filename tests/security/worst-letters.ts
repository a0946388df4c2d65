import { longestTurn } from '../support/longest-turn.ts'

/** Most parsers take a few milliseconds for 100 KB; quadratic ones take seconds. */
export const maxTurnMs = 250

/**
 * The worst letters of which 100 KB, or so many, keep the event loop for too long, by name. A text is read in full where
 * the times of a sixteenth and of an eighth of it foretell a long one, and so is each eighth text whatever they foretell,
 * for a reader that does something else with long texts. Of many only each `step`th is tried, from `first` on: where many
 * callers begin at different ones, all are tried.
 */
export async function slowLetters(
  parse: (text: string) => unknown,
  { length = 100_000, step = 1, first = 0 } = {},
): Promise<readonly string[]> {
  const slow: string[] = []
  const lengths = [length, length / 8, length / 16].map((each) => [...worstLetters(each)])
  const texts = (lengths[0] ?? []).map(([name, text], at) => ({
    name,
    text,
    parts: [2, 1].map((of) => lengths[of]?.[at]?.[1] ?? ''),
  }))
  for (const [at, { name, text, parts }] of texts.filter((_, at) => at % step === first % step).entries()) {
    if ((at + first) % 8 !== 0 && (await foretoldMs(parse, parts)) < maxTurnMs) continue
    if ((await cpuMs(parse, text)) < maxTurnMs) continue
    // What ran beside it, such as the collection of garbage, is not there when it runs again.
    if ((await longestTurn(() => parse(text))) > maxTurnMs) slow.push(name)
  }
  return slow
}

/** How long a text would take of which these are a sixteenth and an eighth: two to four times as long for twice as much. */
async function foretoldMs(
  parse: (text: string) => unknown,
  [shorter = '', longer = '']: readonly string[],
): Promise<number> {
  const shorterMs = await cpuMs(parse, shorter)
  const longerMs = await cpuMs(parse, longer)
  const growth = Math.min(4, Math.max(2, longerMs / shorterMs))
  return longerMs * growth ** 3
}

async function cpuMs(parse: (text: string) => unknown, text: string): Promise<number> {
  const startedAt = process.cpuUsage()
  await parse(text)
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1000
}

/** Texts of this length on which careless regular expressions and loops take quadratic time, by name. */
function* worstLetters(length: number): Generator<readonly [string, string]> {
  for (const piece of pieces) {
    const repeated = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
    // With an end that a pattern for the whole text does not take, and in the places that are looked for.
    for (const [before, after] of frames) yield [JSON.stringify(before + piece + after), before + repeated + after]
  }
  // Runtimes put the accents of a host in order, whichever way they are written.
  for (const marks of ['\u0301\u0316', '%cc%81%cc%96', '\t\u0301\u0316'])
    yield [`a host of ${marks}`, `https://a${marks.repeat(Math.ceil(length / marks.length))}/`]
}

const pieces = [
  ...[' ', '\n', '\t', '\r\n', '\u00a0', '\u200b', '\u0301', '\u0301\u0316', '('],
  ...[
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '/',
    '.',
    ',',
    ';',
    ':',
    '-',
    '_',
    '*',
    '#',
    '`',
    '"',
    "'",
    '=',
    '@',
    '%',
    '!',
    '|',
    '&',
  ],
  ...['a', 'A', '1', 'é', '海', '🐝', '\ud800'],
  ...[
    '[1]',
    '[1',
    '](',
    '()',
    '<a ',
    '< / ',
    '&amp;',
    '%20',
    'a.',
    'a-',
    '1,',
    'a b ',
    '"a" ',
    'site:',
    '-site:a.',
    '(site:',
  ],
  ...['http://', 'https://a.example/ ', 'http://a.example/)', 'data:', 'total_tokens>', '<system-reminder>', '<page '],
  ...[
    '[x]: ',
    '![',
    '[a](',
    '//a ',
    '"[',
    '{"a":',
    '1 a|',
    '- \n',
    '\n\n',
    '【1】',
    'www.',
    '<b>',
    '\u200d',
    '\x1b[',
    '\\',
    '~',
  ],
  ...['hit your ', 'model ', 'resets at ', 'resets Nov 1 ', 'API Error: ', 'at most ', 'is not supported ', 'at a:1 '],
]

const frames = [
  ['', '\n!'],
  ['<', ''],
] as const
