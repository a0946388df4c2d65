import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { parseSync } from 'oxc-parser'
import { mutated, mutationsOf } from '../scripts/mutations.ts'

const root = join(import.meta.dir, '..')
const sources = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(root)].sort()

test('each mutation leaves a program that differs from the source', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...sources), fc.nat(), async (file, chosen) => {
      const text = await Bun.file(join(root, file)).text()
      const mutations = mutationsOf(file, text)
      const mutation = mutations[chosen % mutations.length]
      if (!mutation) return
      const changed = mutated(text, mutation)
      expect(changed).not.toBe(text)
      expect(parseSync(file, changed).errors).toEqual([])
    }),
    { numRuns: runs(100) },
  )
})

test.each([
  ['a >= b', '(a > b)'],
  ['a ?? (b || c)', '((a) && ((b || c)))'],
  ['if (a) return b', 'if (false) return b'],
  ['if (a) { b(); throw c }', 'if (false) { b(); throw c }'],
  ['await a', 'a'],
  ['a.trim().length', 'a.length'],
  ['this.#a.delete(b)', ';'],
  ['call(60)', 'call(600)'],
  ['!a', 'a'],
])('%s may become %s', (text, changed) => {
  expect(mutationsOf('a.ts', text).map((mutation) => mutated(text, mutation))).toContain(changed)
})

test.each(["import a from '1'", 'type A = 1 | true', 'const a: 1 = b', "const a = 'b > c'", 'a as 1'])(
  '%s has nothing to change',
  (text) => expect(mutationsOf('a.ts', text)).toEqual([]),
)

test('a change that a test notices counts, and one that none notices is listed', () => {
  const project = mkdtempSync(join(tmpdir(), 'csp-mutate-test-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const run = (...words: string[]) => Bun.spawnSync(words, { cwd: project, env: process.env })
  const mutate = (...words: string[]) => run(process.execPath, join(root, 'scripts/mutate.ts'), ...words)
  try {
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
    write('.gitignore', 'node_modules\n')
    write('src/known.ts', 'export const isMore = (a: number, b: number) => a > b\n')
    write('src/unknown.ts', 'export const isLess = (a: number, b: number) => a < b\n')
    write(
      'tests/one.test.ts',
      `import { expect, test } from 'bun:test'
import { isLess } from '../src/unknown.ts'
import { isMore } from '../src/known.ts'
test('one', () => expect([isMore(1, 1), isLess(0, 1)]).toEqual([false, true]))
`,
    )
    run('git', 'init', '-q')
    const all = mutate()
    expect(all.stdout.toString()).toMatch(/^src\/unknown\.ts:1 .*unnoticed\n1 of 2 changes noticed \(50 %\)\n$/)
    expect(all.exitCode).toBe(1)
    run('git', 'add', '.')
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'one')
    write('src/known.ts', '// New.\nexport const isMore = (a: number, b: number) => b < a\n')
    const changed = mutate('--changed', 'HEAD')
    expect([changed.stdout.toString(), changed.exitCode]).toEqual(['1 of 1 changes noticed (100 %)\n', 0])
  } finally {
    rmSync(project, { recursive: true })
  }
})
