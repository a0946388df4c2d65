import type { CommandRow } from './command.ts'
import { commandRows, shortForms } from './commands.ts'

/** What somebody typed behind `csp`, read once for everything that depends on it. */
export interface CommandLine {
  /** What is to be done: run the command, show its help, or print something that needs no command. */
  readonly task: 'run' | 'help' | 'whole help' | 'list of commands' | 'version'
  /** The name of the command. It may be the name of none. */
  readonly command: string
  /** The command in the table; `undefined` where it has none of that name. */
  readonly row: CommandRow | undefined
  /** All arguments but the name: the flags before it and whatever follows it. */
  readonly args: readonly string[]
  /** The name and the words behind it, up to the first flag: perhaps a question that was typed without quotes. */
  readonly question: string
}

/** Reads the arguments behind `csp`. `unnamed`: the command that runs where there are none. */
export async function parseCommandLine(args: readonly string[], unnamed: () => string): Promise<CommandLine> {
  const words = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const at = await commandAt(words)
  const typed = at === undefined ? undefined : words[at]
  const has = (...flags: readonly string[]) => words.some((word) => flags.includes(word))
  const page = has('--help-all') ? 'whole help' : has('--help', '-h') ? 'help' : undefined
  const line = (task: CommandLine['task'], command: string, own = args): CommandLine => ({
    task,
    command,
    row: commandRows.find(({ name }) => name === command),
    args: own,
    question: untilFlag(words.slice(at)).join(' '),
  })

  if (words.slice(0, at).some((word) => versionFlags.has(word))) return line('version', '')
  if (at === undefined || typed === undefined) {
    if (args.length === 0) return line('run', unnamed())
    if (args.every((word) => word === '--help' || word === '-h')) return line('list of commands', '')
    return line(page ?? 'run', 'serve')
  }
  if (isQuestion(typed)) return line(page ?? 'run', 'ask')
  const rest = args.toSpliced(at, 1)
  if (typed === 'help') {
    const about = rest.find((word) => !isFlag(word))
    return about === undefined ? line('list of commands', '') : line(page ?? 'help', inFull(about)[0])
  }
  const [command, ...more] = inFull(typed)
  return line(page ?? 'run', command, [...more, ...rest])
}

/** Where the command stands, or the question in its place. Only what follows flags may need the table of settings. */
async function commandAt(words: readonly string[]): Promise<number | undefined> {
  // Behind a flag of a command that is yet to come, a word may be its value.
  let isSure = true
  for (const [index, word] of words.entries()) {
    if (isFlag(word)) continue
    const flag = words[index - 1]
    const takes = flag !== undefined && isFlag(flag) ? await takesValue(flag) : false
    if (takes === true) continue
    if (takes === 'perhaps') isSure = false
    if (isSure || isQuestion(word) || isName(word)) return index
  }
  return undefined
}

/** Whether the word behind a flag is its value, as far as is known without the command. */
async function takesValue(flag: string): Promise<boolean | 'perhaps'> {
  if (flag.includes('=') || switches.has(flag)) return false
  if (flag === '--config') return true
  const { settings } = await import('../config/settings.ts')
  const setting = settings.find((each) => flag === `--${each.flag}`)
  return setting ? setting.hint !== undefined : 'perhaps'
}

const versionFlags: ReadonlySet<string> = new Set(['--version', '-v', '-V'])
const switches: ReadonlySet<string> = new Set([...versionFlags, '--help', '-h', '--help-all'])

/** `--state-dir=/my state` is a flag, and `-5 °C outside` the begin of a question. */
function isFlag(word: string): boolean {
  return /^-[^\s=]*(?:=|$)/.test(word)
}

/** In quotes, so that it is one argument. */
function isQuestion(word: string): boolean {
  return /\s/.test(word.trim()) && !isFlag(word)
}

function isName(word: string): boolean {
  return word === 'help' || Object.hasOwn(shortForms, word) || commandRows.some(({ name }) => name === word)
}

/** What a short form stands for; any other word stands for itself. */
function inFull(word: string): readonly [command: string, ...args: string[]] {
  return (Object.hasOwn(shortForms, word) ? shortForms[word] : undefined) ?? [word]
}

function untilFlag(words: readonly string[]): readonly string[] {
  const end = words.findIndex(isFlag)
  return end < 0 ? words : words.slice(0, end)
}
