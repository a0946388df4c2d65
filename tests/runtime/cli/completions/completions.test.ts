import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { commands } from '../../../support/commands.ts'
import { testNeeding } from '../../../support/needs.ts'
import { testShell } from '../../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-completions-'))
afterAll(() => rmSync(home, { recursive: true }))

/** A command line up to the cursor, some of what is offered there, and some of what is not. */
const cases: readonly (readonly [line: string, expected: readonly string[], absent?: readonly string[]])[] = [
  ['csp se', ['search', 'serve', 'setup'], ['ask']],
  ['csp search --form', ['--format'], ['--freshness']],
  ['csp search --format ', ['text', 'md', 'tsv', 'urls', 'json'], ['html']],
  ['csp search -f t', ['text', 'tsv'], ['md']],
  ['csp fetch https://example.org/ --format ', ['markdown', 'html'], ['tsv']],
  ['csp serve --excerpts p', ['pages'], ['lines']],
  ['csp --port 8080 ask --log-level ', ['debug', 'silent']],
  ['csp ask search --all --qu', ['--quiet']],
  ['csp keys ', ['add', 'list', 'revoke']],
  ['csp config set cache-', ['cache-ttl', 'cache-scope'], ['port']],
  ['csp config set cache-ttl ', [], ['port', 'set']],
  ['csp setup ', ['openclaw', 'mcp', 'edge']],
  ['csp completions z', ['zsh'], ['bash']],
  ['csp help dem', ['demo']],
  ['csp run -- claude --he', [], ['--help']],
]

async function script(shell: string): Promise<string> {
  const output = testShell({ environment: { HOME: home }, directory: home })
  expect(await main(['completions', shell], output)).toBe(0)
  const path = join(home, `csp.${shell}`)
  writeFileSync(path, output.printed())
  return path
}

/** Runs a shell on a program that prints, for each case, what is offered, and a line `@@` behind it. */
function offered(command: readonly string[], program: string): readonly (readonly string[])[] {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command, program], {
    env: { ...process.env, HOME: home, TERM: 'dumb' },
    cwd: home,
  })
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
    .toString()
    .split(/^@@\n/m)
    .map((part) => part.split('\n').filter(Boolean))
}

function check(found: readonly (readonly string[])[]): void {
  for (const [index, [line, expected, absent = []]] of cases.entries()) {
    const words = found[index] ?? []
    const present = (word: string) => words.includes(word)
    expect({ line, missing: expected.filter((word) => !present(word)), absent: absent.filter(present) }).toEqual({
      line,
      missing: [],
      absent: [],
    })
  }
}

const quoted = (text: string) => `'${text}'`

testNeeding('bash', Bun.which('bash') !== null)('bash completes commands, arguments, flags and values', async () => {
  const path = await script('bash')
  const asks = cases.map(([line]) => {
    const words = line.split(' ')
    return `COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _csp; printf '%s\\n' "\${COMPREPLY[@]}"; echo @@`
  })
  const found = offered(['bash', '--norc', '-c'], [`source '${path}'`, ...asks].join('\n'))
  check(found)
  const sign = `source '${path}'; COMP_WORDS=(csp search --format = t); COMP_CWORD=4; _csp; echo "\${COMPREPLY[@]}"`
  expect(offered(['bash', '--norc', '-c'], sign)[0]).toEqual(['text tsv'])
})

testNeeding('zsh', Bun.which('zsh') !== null)('zsh completes commands, arguments, flags and values', async () => {
  const path = await script('zsh')
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: expansions of zsh
  // The functions of zsh's completion system that the script calls, which here print what they would offer.
  const stubs = [
    'compdef() { : }',
    '_files() { : }',
    '_default() { : }',
    '_message() { : }',
    'offer() { local each; for each in "$@"; do each=${each%%:*}; [[ $each == ${words[CURRENT]#--*=}* ]] && print -r -- $each; done }',
    'compadd() { shift; offer "$@" }',
    'compset() { : }',
    '_describe() { [[ $1 == -o ]] && shift; local -a all=(${(P)2}); offer $all }',
  ]
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: expansions of zsh
  const asks = [...cases, ['csp search --format=t', []] as const].map(([line]) => {
    const words = line.split(' ')
    return `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _csp; print @@`
  })
  const found = offered(['zsh', '-f', '-c'], [...stubs, `source '${path}'`, ...asks].join('\n'))
  check(found)
  expect(found[cases.length]).toEqual(['text', 'tsv'])
})

test('the words of a command are those of its usage', () => {
  for (const { name, usage, words } of commands) {
    const named = [...usage.replace(/\[?FLAGS\]?.*/, '').matchAll(/(?<![A-Z])[a-z][a-z0-9-]+/g)].map(([word]) => word)
    expect({ name, words: Object.keys(words ?? {}).toSorted() }).toEqual({ name, words: named.toSorted() })
  }
})

test('a shell that csp does not know is named with those that it knows', async () => {
  const shell = testShell({ environment: { HOME: home }, directory: home })
  expect(await main(['completions', 'fish'], shell)).toBe(2)
  expect(shell.complaints()).toBe('csp completions knows bash, zsh, not "fish".\n')
})
