/** One command of a shell block. */
export interface ShellCommand {
  readonly variables: Readonly<Record<string, string>>
  readonly program: string
  readonly words: readonly string[]
  readonly text: string
}

/** The commands of a block; of a session (`console`) those behind `$ `, not what they print. */
export function commandsIn(code: string, isSession: boolean): readonly ShellCommand[] {
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
  const typed = isSession ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines
  return typed.flatMap((line) => splitPipes(wordsOf(line)).flatMap((words) => commandOf(words, line)))
}

/** One command; `npx`, `bunx` and `sudo` before it are left out. */
function commandOf(words: readonly string[], text: string): readonly ShellCommand[] {
  const bare = words.filter((word, at) => !(launchers.has(word) && words.slice(0, at).every(isLaunch)))
  const count = bare.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const assigned = count < 0 ? bare : bare.slice(0, count)
  const [program, ...rest] = count < 0 ? [] : bare.slice(count)
  const variables = Object.fromEntries(assigned.map((word) => word.split(/=(.*)/s).slice(0, 2)))
  return program === undefined ? [] : [{ variables, program, words: rest, text }]
}

const launchers = new Set(['npx', 'bunx', 'sudo', 'exec'])

function isLaunch(word: string): boolean {
  return launchers.has(word) || /^[A-Z_]+=/.test(word)
}

function splitPipes(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => ['|', '&&', ';', '>', '>>', '<', '&'].includes(word))
  if (at < 0) return words.length > 0 ? [words] : []
  const isRedirect = ['>', '>>', '<'].includes(words[at] ?? '')
  return [words.slice(0, at), ...splitPipes(words.slice(at + (isRedirect ? 2 : 1)))]
}

/** Splits a line as a shell does, with quotes; a comment is dropped. */
function wordsOf(line: string): readonly string[] {
  const pattern = /\s*(?:(#.*)|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+))/gy
  return [...line.matchAll(pattern)].flatMap(([, comment, word]) => (comment || !word ? [] : [unquoted(word)]))
}

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (_, single, double, escaped) => {
    if (single !== undefined) return single
    return double === undefined ? escaped : double.replaceAll(/\\(["\\$`])/g, '$1')
  })
}

/** The request that curl would send. */
export function requestOf(words: readonly string[]): { readonly url: string; readonly init: RequestInit } {
  const headers = new Headers()
  let [url, body] = ['', '']
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-d') body = words[++at] ?? ''
    else if (word === '-H') {
      const [name = '', value = ''] = (words[++at] ?? '').split(/:\s*(.*)/s)
      headers.set(name, value)
    } else if (!word.startsWith('-')) url = word
  }
  if (body && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
  return { url, init: body ? { method: 'POST', headers, body } : { headers } }
}
