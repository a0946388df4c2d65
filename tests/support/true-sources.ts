import { expect } from 'bun:test'

/** Expects some URLs, every one of which the stand-in's search tool gave: it has made-up sites alone. */
export function expectTrueSources(urls: readonly string[]): void {
  expect(urls.length).toBeGreaterThan(0)
  for (const url of urls) expect(new URL(url).hostname).toMatch(/(^|\.)(example|example\.(com|org|net))$/)
}
