import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { root } from './markdown.ts'

/** A message that a caller may get, with the part of it that is always the same. */
export interface Message {
  readonly path: string
  readonly code: string
  readonly words: string
}

/** The messages of all errors that the code creates with a code and a text beside it, and those of the CLI. */
export function messagesInCode(): readonly Message[] {
  const paths = [...new Glob('src/**/*.ts').scanSync({ cwd: root })].filter(
    (path) => !/^src\/(sandbox\/|api\/openapi\/)/.test(path),
  )
  return paths.toSorted().flatMap((path) => {
    const code = readFileSync(join(root, path), 'utf8')
    const made = code.matchAll(
      /new (?:SearchError|PageError|Refusal)\(\s*'([a-z-]+)',\s*(['`])((?:\\.|(?!\2)[^\\])*)\2/g,
    )
    const ofCli = path.endsWith('claude/cli/errors.ts')
      ? code.matchAll(/()(['`])((?:Claude|The|This) [^'`\n]{12,})\2/g)
      : []
    return [...made, ...ofCli].flatMap(([, kind = '', , text = '']) => {
      const words = fixedPart(text)
      return words ? [{ path, code: kind, words }] : []
    })
  })
}

/** The longest part between what is filled in, as far as a page would quote it. */
function fixedPart(text: string): string | undefined {
  const parts = text.split(/\$\{(?:[^{}]|\{[^}]*\})*\}/).map((part) => part.replace(/^[\s.,:;)]+|[\s.,:;(]+$/g, ''))
  const [longest = ''] = parts.toSorted((a, b) => b.length - a.length)
  const whole = longest.split(/[.:] |\$\{/)[0] ?? ''
  return whole.length >= 10 ? whole.slice(0, 60) : undefined
}
