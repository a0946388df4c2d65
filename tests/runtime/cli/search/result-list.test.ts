import { expect, test } from 'bun:test'
import { listOf, sinceOf } from '../../../../src/runtime/cli/search/search.ts'
import type { NumberedSource } from '../../../../src/runtime/cli/source-formats.ts'
import { testShell } from '../../test-shell.ts'

const source = (more: Partial<NumberedSource> = {}): NumberedSource => ({
  ...{ number: 1, title: 'A page', url: 'https://a.example/', source: 'memory' },
  ...more,
})

function listed(results: readonly NumberedSource[], columns = 80, environment?: Readonly<Record<string, string>>) {
  const shell = testShell({ environment: environment ?? {}, directory: '/', isTerminal: environment !== undefined })
  return listOf(results, { ...shell, output: { ...shell.output, columns } })
}

test('a list has the number, title and address of each page, and what is known of its time and text', () => {
  const known = {
    number: 12,
    publishedAt: '2026-05-01',
    seenAt: '2026-06-02T10:00:00.000Z',
    snippet: 'Some\u001b[1m words.',
  }
  expect(listed([source(), source(known)])).toBe(
    '1.  A page\n    https://a.example/\n\n12. A page\n    https://a.example/\n    2026-05-01 [seen 2026-06-02] Some words.\n',
  )
  expect(listed([])).toBe('Nothing was found.\n')
})

test('its lines are as wide as the terminal, and at most a hundred columns', () => {
  const words = 'harbour seals sleep '.repeat(12).trim()
  for (const [columns, widest] of [
    [60, 60],
    [300, 100],
  ] as const) {
    const lengths = listed([source({ title: words, snippet: words })], columns)
      .split('\n')
      .map((line) => line.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(widest)
    expect(Math.max(...lengths)).toBeGreaterThan(widest - 20)
  }
})

test('a long address is cut only where it is a link', () => {
  const url = `https://a.example/${'long/'.repeat(40)}`
  expect(listed([source({ url })])).toContain(`\n    ${url}\n`)
  const linked = listed([source({ url })], 60, { FORCE_HYPERLINK: '1' })
  const [, shown = ''] = /\n.*?\u001b]8;;[^\u001b]*\u001b\\([^\u001b]*)\u001b]8/.exec(linked) ?? []
  expect([shown.length, shown.slice(0, 18)]).toEqual([56, 'https://a.example/'])
})

test('--since is a day or a span', () => {
  expect(sinceOf('2026-11-01')).toBe('2026-11-01T00:00:00.000Z')
  const hours = (Date.now() - Date.parse(sinceOf('2h'))) / 3_600_000
  expect(Math.round(hours)).toBe(2)
  for (const wrong of ['soon', '2026-1-1', '2026-13-45', '', '2026-11-01T10:00:00Z'])
    expect(() => sinceOf(wrong)).toThrow(
      `--since must be a day such as 2026-11-01 or a span such as 7d, not "${wrong}"`,
    )
})
