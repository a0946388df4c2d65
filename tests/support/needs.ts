import { describe, test } from 'bun:test'

/**
 * `test` where something is there; otherwise a `test` that is skipped and whose title ends with what it needs, which
 * `scripts/test.mjs` reads for its summary.
 */
export function testNeeding(need: string, isThere: boolean) {
  return (title: string, body: () => void | Promise<void>, timeoutMs?: number): void =>
    isThere ? test(title, body, timeoutMs) : test.skip(`${title} (needs ${need})`, body)
}

/** The same for a group of tests. */
export function describeNeeding(need: string, isThere: boolean) {
  return (title: string, body: () => void): void =>
    isThere ? describe(title, body) : describe.skip(`${title} (needs ${need})`, body)
}
