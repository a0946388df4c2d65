import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { loginArguments } from '../../src/executor/backends/claude/cli/launch.ts'
import { claudeEnvironment, realClaude } from './real-claude.ts'

/**
 * The real CLI, but what it says of itself is remembered: its version, its help, and its login where that is a
 * sandbox's token and nothing else. A csp or an executor then starts in half the time. Tests of what the CLI says of
 * itself take `realClaude`.
 */
export function quickClaude(): string {
  return join(remembered(), 'claude')
}

/**
 * A stand-in for the CLI that starts in a tenth of its time, for tests whose subject is csp: what the CLI itself does is
 * shown on the real one. It asks the Messages API as the real one does, and knows its usual failures alone. With
 * `TEST_CLI=real`, as a weekly job has it, it is the real one.
 */
export function standInClaude(): string {
  return process.env['TEST_CLI'] === 'real' ? quickClaude() : join(remembered(), 'stand-in')
}

/** The folder with both. */
function remembered(): string {
  const { size, mtimeMs } = statSync(realClaude)
  const folder = join(
    cache,
    Bun.hash([realClaude, size, mtimeMs, caseOfLogin, noOptimiser, standIn].join()).toString(36),
  )
  if (!existsSync(folder)) remember(folder)
  return folder
}

const cache = join(import.meta.dir, '../../node_modules/.cache/quick-claude')
const { CLAUDE_CODE_OAUTH_TOKEN: token = '' } = claudeEnvironment('', '')
/** Of the tests, and of `--sandbox`. */
const tokens = [token, 'sandbox-token-that-opens-nothing']
/** A CLI of a test lives for seconds, in which its optimiser does not earn what it costs, 7 % of two searches. */
const noOptimiser = 'export BUN_JSC_useDFGJIT=0'
/** Its processes are seen by the name of the CLI, which is that of a link to Bun. */
const standIn = `case " $* " in *" mcp serve "* | *" --input-format stream-json "*)
  exec "\${0%/*}/bin/claude" --no-env-file '${join(import.meta.dir, 'stand-in-claude/main.ts')}' "$@" ;;
esac`
const caseOfLogin = `${tokens.map((it) => `"${loginArguments.join(' ')} ${it}"`).join(' | ')})`

/** Another test file may do the same at the same time: the folder appears whole, or is there already. */
function remember(folder: string): void {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  const env = claudeEnvironment('http://127.0.0.1:9', draft)
  const answer = (args: readonly string[]) => {
    const name = `answer ${args.join(' ')}`
    writeFileSync(join(draft, name), Bun.spawnSync([realClaude, ...args], { env, cwd: draft }).stdout)
    return `exec cat '${join(folder, name)}' ;;`
  }
  const credentials = ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']
  const lines = [
    '#!/bin/sh',
    noOptimiser,
    `case "$* ${credentials.map((name) => `$${name}`).join('')}" in`,
    `"--version "*) ${answer(['--version'])}`,
    `"--help "*) ${answer(['--help'])}`,
    `${caseOfLogin} [ -e "$HOME/.claude/.credentials.json" ] || ${answer(loginArguments)}`,
    'esac',
  ]
  const version = readFileSync(join(draft, 'answer --version'), 'utf8').split(' ')[0]
  const real = `exec '${realClaude}' "$@"`
  const ends = { claude: [real], 'stand-in': [`export STAND_IN_VERSION=${version}`, standIn, real] }
  for (const [name, end] of Object.entries(ends))
    writeFileSync(join(draft, name), `${[...lines, ...end].join('\n')}\n`, { mode: 0o755 })
  mkdirSync(join(draft, 'bin'))
  symlinkSync(process.execPath, join(draft, 'bin/claude'))
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
