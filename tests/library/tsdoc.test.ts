import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { documents, root } from '../docs/markdown.ts'

interface Exported {
  readonly name: string
  /** From the root. */
  readonly path: string
  readonly isType: boolean
  /** The comment in front of its declaration. */
  readonly comment: string
}

/** What a file of the library exports, with the comments where it is declared. */
function exportsOf(path: string): readonly Exported[] {
  const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'))
  return program.body.flatMap((node) => {
    if (node.type === 'ExportAllDeclaration') return exportsOf(join(dirname(path), node.source.value))
    if (node.type !== 'ExportNamedDeclaration' || !node.source) return []
    const source = join(dirname(path), node.source.value)
    return node.specifiers.map(({ exported, exportKind }) => {
      const name = exported.type === 'Literal' ? exported.value : exported.name
      const isType = node.exportKind === 'type' || exportKind === 'type'
      const target = declaredIn(name, source)
      return { name, path: target, isType, comment: commentOf(name, target) }
    })
  })
}

/** The file that declares a name: a package, where the file exports it from there. */
function declaredIn(name: string, path: string): string {
  const again = new RegExp(`^export type \\{[^}]*\\b${name}\\b[^}]*\\} from '@csp/([\\w-]+)/([^']+)'`, 'm')
  const [, room, door] = again.exec(readFileSync(join(root, path), 'utf8')) ?? []
  return room ? `packages/${room}/src/${door}.ts` : path
}

function commentOf(name: string, path: string): string {
  const source = readFileSync(join(root, path), 'utf8')
  const { program, comments } = parseSync(path, source)
  const declaration = program.body.find(
    (node) => node.type === 'ExportNamedDeclaration' && node.declaration && namesOf(node.declaration).includes(name),
  )
  const comment = comments.findLast(({ end }) => end <= (declaration?.start ?? 0))
  const isBefore = comment && source.slice(comment.end, declaration?.start).trim() === ''
  return isBefore ? comment.value.replaceAll(/^ *\* ?/gm, '') : ''
}

function namesOf(declaration: object): readonly unknown[] {
  if ('id' in declaration) return [Reflect.get(declaration.id ?? {}, 'name')]
  if (!('declarations' in declaration) || !Array.isArray(declaration.declarations)) return []
  return declaration.declarations.flatMap(namesOf)
}

const exported = [
  ...exportsOf('src/library/library.ts'),
  ...exportsOf('src/library/library-worker.ts').filter(({ name }) => name === 'claude'),
]

test('everything that the library exports has a comment with an example', () => {
  expect(exported.length).toBeGreaterThan(35)
  const without = exported.filter(({ comment }) => !/\S[\s\S]*\n@example\s+\S/.test(comment))
  expect(without.map(({ name, path }) => `${path}: ${name}`)).toEqual([])
})

test('the examples, and those of docs/library.md, have the right types', () => {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'csp-examples-'))
  try {
    const names = [...new Map(exported.map(({ name, isType }) => [name, isType]))]
    const everything = names.map(([name, isType]) => (isType ? `type ${name}` : name)).join(', ')
    for (const [index, { name, path, comment }] of exported.entries()) {
      const example = comment.split('\n@example')[1] ?? ''
      // An example shows no imports of the package's own names.
      const text = `// ${path}\nimport { ${everything} } from 'claude-search-proxy'\n${example.trim()}\nexport {}\n`
      writeFileSync(join(folder, `${index}-${name}.ts`), text)
    }
    const [page] = documents(['docs/library.md'])
    for (const { language, code, line } of page?.fences ?? [])
      if (language === 'ts') writeFileSync(join(folder, `library-md-${line}.ts`), `${code}\nexport {}\n`)
    // Against the declarations alone, as users have them: the sources, which the types check has read, take twice as long.
    const types = join(folder, 'types')
    expect(compile(['-p', join(root, 'tsconfig.library.json'), '--noCheck', '--outDir', types])).toEqual(noErrors)
    const compilerOptions = {
      ...{ noEmit: true, noUnusedLocals: false, noUncheckedIndexedAccess: false, rootDir: root },
      paths: { 'claude-search-proxy': ['./types/library/library.d.ts'] },
    }
    const config = { extends: relative(folder, join(root, 'tsconfig.library.json')), compilerOptions, files: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: ['*.ts'] }))
    expect(compile(['-p', folder])).toEqual(noErrors)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const noErrors = { errors: '', exitCode: 0 }

/** On one core, of which a compiler with several threads takes twice the time. */
function compile(options: readonly string[]) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const command = [process.execPath, tsc, ...options, '--singleThreaded', '--pretty', 'false']
  const { stdout, exitCode } = Bun.spawnSync(command, { env: { ...process.env, GOGC: '400' } })
  return { errors: stdout.toString(), exitCode }
}
