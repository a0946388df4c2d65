import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeEnvironment, realClaude } from './real-claude.ts'

/**
 * Writes a program in the place of the CLI, for what the real one cannot be made to do. The script is for `sh`; `$claude`
 * is the real CLI.
 */
export function oddClaude(folder: string, script: string): string {
  const path = join(folder, 'claude')
  writeFileSync(path, `#!/bin/sh\nclaude='${realClaude}'\n${script}\n`, { mode: 0o755 })
  return path
}

/** The real CLI, but its help does not tell of these flags. */
export function withoutFlags(flags: readonly string[]): string {
  const hidden = flags.map((flag) => `-e 's/${flag}/--hidden/'`).join(' ')
  return `[ "$1" = --help ] && { "$claude" --help | sed ${hidden}; exit; }\nexec "$claude" "$@"`
}

/**
 * The real CLI, but what it says of itself is remembered, so that a start costs half. For tests that start it again and
 * again.
 */
export function quickClaude(folder: string): string {
  const questions = { '--version': ['--version'], '--help': ['--help'], auth: ['auth', 'status'] }
  const env = claudeEnvironment('http://127.0.0.1:9', folder)
  const cases = Object.entries(questions).map(([name, args]) => {
    const answer = join(folder, `answer${name}`)
    writeFileSync(answer, Bun.spawnSync([realClaude, ...args], { env, cwd: folder }).stdout)
    return `${name}) exec cat '${answer}' ;;`
  })
  return oddClaude(folder, ['case "$1" in', ...cases, 'esac', 'exec "$claude" "$@"'].join('\n'))
}
