import { cpuSince, longestTurn } from '@csp/testing/longest-turn'
import { runs } from '@csp/testing/runs'

/** Most parsers take a few milliseconds for 100 KB; quadratic ones take seconds. */
export const maxTurnMs = 250

/**
 * The worst letters of which 100 KB, or so many, keep the event loop for too long, by name. A text is read in longer and
 * longer parts, as long as their times foretell a long one; each sixteenth text is read in full whatever they foretell,
 * for a reader that does something else with long texts. Of many only each `step`th is tried, from `first` on: where many
 * callers begin at different ones, all are tried. A run that tries properties less often tries fewer.
 */
export async function slowLetters(
  parse: (text: string) => unknown,
  { length = 100_000, step = 1, first = 0 } = {},
): Promise<readonly string[]> {
  const slow: string[] = []
  const each = step * Math.max(1, Math.round(worstLetters.length / runs(worstLetters.length)))
  const tried = worstLetters.filter((_, at) => at % each === first % each)
  for (const [at, { name, textOf }] of tried.entries()) {
    const isFull = (at + first) % 16 === 0
    const lengths = isFull ? [length] : [32, 16, 8, 4, 2, 1].map((part) => length / part)
    if (!(await mayBeSlow((each) => parse(textOf(each)), lengths))) continue
    // What ran beside it, such as the collection of garbage or another test, is not there each time.
    if ((await longestTurn(() => parse(textOf(length)), maxTurnMs)) > maxTurnMs) slow.push(name)
  }
  return slow
}

/** Whether a text of the last of these lengths takes too long. Each is twice the one before; stops where that cannot be. */
async function mayBeSlow(parse: (length: number) => unknown, lengths: readonly number[]): Promise<boolean> {
  let before: number | undefined
  for (const [at, length] of lengths.entries()) {
    const ms = await cpuMs(() => parse(length))
    // Twice as much takes two to four times as long.
    const growth = before === undefined ? 4 : Math.min(4, Math.max(2, ms / before))
    if (ms * growth ** (lengths.length - 1 - at) < maxTurnMs) return false
    before = ms
  }
  return true
}

async function cpuMs(work: () => unknown): Promise<number> {
  const startedAt = process.cpuUsage()
  await work()
  return cpuSince(startedAt)
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

/** Texts on which careless regular expressions and loops take quadratic time, by name. */
const worstLetters: readonly { readonly name: string; readonly textOf: (length: number) => string }[] = [
  ...pieces.flatMap((piece) =>
    // With an end that a pattern for the whole text does not take, and in the places that are looked for.
    frames.map(([before, after]) => ({
      name: JSON.stringify(before + piece + after),
      textOf: (length: number) => `${before}${repeated(piece, length).slice(0, length)}${after}`,
    })),
  ),
  // Runtimes put the accents of a host in order, whichever way they are written.
  ...['\u0301\u0316', '%cc%81%cc%96', '\t\u0301\u0316'].map((marks) => ({
    name: `a host of ${marks}`,
    textOf: (length: number) => `https://a${repeated(marks, length)}/`,
  })),
]

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length))
}
