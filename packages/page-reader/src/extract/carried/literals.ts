/** The texts of the string literals in a script, in order. It is not parsed, so one may begin in a comment. */
export function* literalsIn(code: string): Generator<string, void, undefined> {
  let at = 0
  while (at < code.length) {
    const quote = code[at]
    if (quote !== '"' && quote !== "'" && quote !== '`') {
      at++
      continue
    }
    const start = ++at
    while (at < code.length && code[at] !== quote) at += code[at] === '\\' ? 2 : 1
    yield code.slice(start, at).replace(escaped, decoded)
    at++
  }
}

const escaped = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi

function decoded(_: string, wide: string | undefined, narrow: string | undefined, sign = ''): string {
  const code = wide ?? narrow
  return code === undefined ? (signs[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16))
}

const signs: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': '',
}
