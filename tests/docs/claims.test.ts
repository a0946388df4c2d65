import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { claimPages, claimsOf, withTests } from '../../scripts/claims.ts'
import { root } from './markdown.ts'

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test.each(claimPages)('every claim of %s links its tests, as `npm run docs` writes them', (path) => {
  const page = textOf(path)
  expect(claimsOf(page).length).toBeGreaterThan(50)
  expect(withTests(page)).toBe(page)
})

test.each(['security', 'faults'])('every test of tests/%s belongs to a claim', (folder) => {
  const named = new Set(claimPages.flatMap((path) => claimsOf(textOf(path)).flatMap(({ tests }) => tests)))
  const own = [...new Glob(`tests/${folder}/*.test.ts`).scanSync(root)]
  expect(own.length).toBeGreaterThan(8)
  expect(own.filter((path) => !named.has(path))).toEqual([])
})

describe('a table of claims', () => {
  const table = (tests: string) => `| Claim | Tests |\n|---|---|\n| A claim | ${tests} |\n`

  test('gets links, also to a file that has moved, and stays as it is the next time', () => {
    const link =
      '[`docs/english`](../tests/docs/english.test.ts) "is in plain English", [`lib/url`](../packages/lib/test/url.test.ts)'
    expect(withTests(table('`elsewhere/english` "is in plain English", `lib/url`'))).toBe(table(link))
    expect(withTests(table(link))).toBe(table(link))
  })

  test.each([
    ['', 'names no test'],
    ['`lib/no-such-file`', 'no test lib/no-such-file'],
    [`\`docs/claims\` "${'no such '}title"`, 'has no test'],
    ['see there', 'Not the name of a test'],
  ])('with the tests %p is refused', (tests, problem) => {
    expect(() => withTests(table(tests))).toThrow(problem)
  })

  test('has its claims in the last column called Tests only', () => {
    expect(claimsOf('| A | B |\n|---|---|\n| c | d |\n')).toEqual([])
  })
})
