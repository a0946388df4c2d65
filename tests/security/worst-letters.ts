/** Texts of this length on which careless regular expressions and loops take quadratic time, by name. */
export function* worstLetters(length: number): Generator<readonly [string, string]> {
  for (const piece of pieces) {
    const repeated = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
    // With an end that a pattern for the whole text does not take, and in the places that are looked for.
    for (const [before, after] of frames) yield [JSON.stringify(before + piece + after), before + repeated + after]
  }
}

const pieces = [
  ...[' ', '\n', '\t', '\r\n', '\u00a0', '\u200b', '\u0301', '('],
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
  ...['hit your ', 'model ', 'resets at ', 'resets Nov 1 ', 'API Error: ', 'at most ', 'is not supported ', 'at a:1 '],
]

const frames = [
  ['', '\n!'],
  ['<', ''],
] as const
