import { deepStrictEqual, ok } from 'node:assert'

// What the contracts use of `bun:test`, so that the very same files run inside workerd. A test registers itself here,
// and runs when it is asked for by name: in one request, with all its hooks.

type Body = () => unknown

interface Group {
  readonly name: string
  readonly before: Body[]
  readonly after: Body[]
}

const tests = new Map<string, { readonly body: Body; readonly groups: readonly Group[] }>()
const open: Group[] = []

/** The names of all tests, each with its groups before it. */
export function testNames(): readonly string[] {
  return [...tests.keys()]
}

/** Runs one test with its hooks, and throws what it throws. */
export async function runTest(name: string): Promise<void> {
  const { body, groups } = tests.get(name) ?? { groups: [] }
  if (!body) throw new Error(`There is no test ${name}.`)
  for (const hook of groups.flatMap(({ before }) => before)) await hook()
  try {
    await body()
  } finally {
    for (const hook of groups.flatMap(({ after }) => after).reverse()) await hook()
  }
}

export function describe(name: string, body: () => void): void {
  open.push({ name, before: [], after: [] })
  body()
  open.pop()
}

export function test(name: string, body: Body): void {
  const fullName = [...open.map((group) => group.name), name].join(' > ')
  if (tests.has(fullName)) throw new Error(`Two tests are called ${fullName}.`)
  tests.set(fullName, { body, groups: [...open] })
}

export function beforeEach(hook: Body): void {
  open.at(-1)?.before.push(hook)
}

export function afterEach(hook: Body): void {
  open.at(-1)?.after.push(hook)
}

export function expect(actual: unknown, note = '') {
  return { ...matchers(actual, note, true), not: matchers(actual, note, false) }
}

function matchers(actual: unknown, note: string, wanted: boolean) {
  const hold = (isSo: boolean, what: string, expected?: unknown): void =>
    ok(isSo === wanted, `${note} ${show(actual)} ${wanted ? 'should' : 'should not'} ${what} ${show(expected)}`)
  return {
    toBe: (expected: unknown) => hold(Object.is(actual, expected), 'be', expected),
    toBeNull: () => hold(actual === null, 'be null'),
    toBeDefined: () => hold(actual !== undefined, 'be defined'),
    toBeInstanceOf: (expected: Newable) => hold(actual instanceof expected, 'be one of', expected.name),
    toBeGreaterThan: (expected: number) => hold(Number(actual) > expected, 'be above', expected),
    toBeGreaterThanOrEqual: (expected: number) => hold(Number(actual) >= expected, 'be at least', expected),
    toBeLessThan: (expected: number) => hold(Number(actual) < expected, 'be below', expected),
    toBeLessThanOrEqual: (expected: number) => hold(Number(actual) <= expected, 'be at most', expected),
    toContain: (expected: unknown) => hold(holds(actual, expected), 'contain', expected),
    toEqual: (expected: unknown) => hold(isEqual(actual, expected), 'equal', expected),
    toHaveLength: (expected: number) => hold(Object(actual).length === expected, 'have the length', expected),
    toHaveProperty: (expected: string) => hold(expected in Object(actual), 'have', expected),
    toMatchObject: (expected: object) => hold(isEqual(likeIn(actual, expected), expected), 'have what is in', expected),
    toMatch: (expected: RegExp) => hold(expected.test(String(actual)), 'match', String(expected)),
  }
}

interface Newable {
  readonly name: string
  readonly [Symbol.hasInstance]: (value: unknown) => boolean
}

function holds(actual: unknown, expected: unknown): boolean {
  return typeof actual === 'string'
    ? actual.includes(String(expected))
    : Array.isArray(actual) && actual.includes(expected)
}

function isEqual(actual: unknown, expected: unknown): boolean {
  try {
    deepStrictEqual(withoutAbsent(actual), withoutAbsent(expected))
    return true
  } catch {
    return false
  }
}

/** The part of a value that another one names, as deep as that goes. Lists count as a whole. */
function likeIn(actual: unknown, expected: unknown): unknown {
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null) return actual
  if (Array.isArray(actual)) return actual.map((item, index) => likeIn(item, Object(expected)[index]))
  const named = Object.entries(actual).filter(([name]) => name in expected)
  return Object.fromEntries(named.map(([name, field]) => [name, likeIn(field, Object(expected)[name])]))
}

/** `toEqual` takes an absent property for one that is `undefined`. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(present.map(([name, field]) => [name, withoutAbsent(field)]))
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 500)
}
