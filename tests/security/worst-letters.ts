import { longestTurn } from '../support/longest-turn.ts'

/** Most parsers take a few milliseconds for 100 KB; quadratic ones take seconds. */
export const maxTurnMs = 250

/**
 * The worst letters of which 100 KB, or so many, keep the event loop for too long, by name. Of many only each `step`th is
 * tried, from `first` on: where many callers begin at different ones, all are tried.
 */
export async function slowLetters(
  parse: (text: string) => unknown,
  { length = 100_000, step = 1, first = 0 } = {},
): Promise<readonly string[]> {
  const slow: string[] = []
  const texts = [...worstLetters(length)].filter((_, at) => at % step === first % step)
  for (const [name, text] of texts) {
    const startedAt = process.cpuUsage()
    await parse(text)
    const { user, system } = process.cpuUsage(startedAt)
    // What ran beside it, such as the collection of garbage, is not there when it runs again.
    if (user + system > maxTurnMs * 1000 && (await longestTurn(() => parse(text))) > maxTurnMs) slow.push(name)
  }
  return slow
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
