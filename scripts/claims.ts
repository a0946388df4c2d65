// The tests of what docs/security.md and docs/reliability.md promise. A row names them as `security/proxies` or
// `faults/disk` "is full"; `npm run docs` makes links of that, and finds a file that has moved.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')

/** The pages whose claims name their tests. */
export const claimPages = ['docs/security.md', 'docs/reliability.md']

/** A claim, and the files of its tests from the root of the repository. */
export interface Claim {
  readonly text: string
  readonly tests: readonly string[]
}

/** The rows of every table of `page` whose last column is `Tests`. Throws for a row whose tests are not there. */
export function claimsOf(page: string): readonly Claim[] {
  return rowsOf(page).map(({ text, tests }) => ({ text, tests: testsOf(text, tests).map(({ file }) => file) }))
}

/** The page with a link for each test. Throws for a claim without a test, and for a file or a title that is not there. */
export function withTests(page: string): string {
  return rowsOf(page).reduce((text, row) => text.replace(row.line, () => linked(row)), page)
}

interface Row {
  readonly line: string
  readonly text: string
  /** The last cell. */
  readonly tests: string
}

function rowsOf(page: string): readonly Row[] {
  const tables = page.match(/(?:^\|.*\n?)+/gm) ?? []
  return tables
    .map((table) => table.trim().split('\n'))
    .filter(([head]) => head?.endsWith('| Tests |'))
    .flatMap((lines) => lines.slice(2))
    .map((line) => {
      const at = line.lastIndexOf(' | ')
      return { line, text: line.slice(2, at), tests: line.slice(at + 3).replace(/ ?\|$/, '') }
    })
}

function linked({ text, tests }: Row): string {
  const links = testsOf(text, tests).map(({ name, file, title }) => {
    const link = `[\`${name}\`](../${file})`
    return title === undefined ? link : `${link} "${title}"`
  })
  return `| ${text} | ${links.join(', ')} |`
}

interface NamedTest {
  readonly name: string
  readonly file: string
  readonly title: string | undefined
}

/** The tests that a cell names. */
function testsOf(claim: string, cell: string): readonly NamedTest[] {
  const form = /\[?`([^`]+)`(?:\]\([^)]*\))?(?: "([^"]+)")?(?:, )?/g
  if (cell.replace(form, '') !== '') throw new Error(`Not the name of a test: ${cell.replace(form, '')} (${claim})`)
  const tests = [...cell.matchAll(form)].map(([, name = '', title]) => testOf(claim, name, title))
  if (tests.length === 0) throw new Error(`The claim names no test: ${claim}`)
  return tests
}

function testOf(claim: string, name: string, title: string | undefined): NamedTest {
  const file = fileOf(name)
  if (file === undefined) throw new Error(`There is no test ${name} (${claim})`)
  const code = readFileSync(join(root, file), 'utf8')
  if (title !== undefined && !stringsIn(code).some((text) => text.includes(title)))
    throw new Error(`${file} has no test "${title}" (${claim})`)
  return {
    name: file
      .replace(/^tests\//, '')
      .replace(/^packages\/([\w-]+)\/test\//, '$1/')
      .replace(/(?:\.test)?\.ts$/, ''),
    file,
    title,
  }
}

/** The file of that name, or the only one that is called so elsewhere. A part of a test file counts too. */
function fileOf(name: string): string | undefined {
  const here = [`tests/${name}.test.ts`, `tests/${name}.ts`, ...inPackage(name)].find((file) =>
    existsSync(join(root, file)),
  )
  if (here !== undefined) return here
  const moved = ['tests', 'packages/*/test'].flatMap((folder) => [
    ...new Glob(`${folder}/**/${basename(name)}.test.ts`).scanSync(root),
  ])
  return moved.length === 1 ? moved[0] : undefined
}

/** `evidence/scan` is in the package of that name. */
function inPackage(name: string): readonly string[] {
  const [, place = '', rest = ''] = /^(?:executor\/answer\/)?([\w-]+)\/(.+)$/.exec(name) ?? []
  return [`packages/${place}/test/${rest}.test.ts`, `packages/${place}/test/${rest}.ts`]
}

function stringsIn(code: string): readonly string[] {
  return [...code.matchAll(/(['"`])((?:(?!\1)[^\n\\]|\\.)+)\1/g)].map(([, , text = '']) => text)
}
