import { describe, expect, test } from 'bun:test'
import { formatFamilies, gauge } from '../../../src/runtime/metrics/families.ts'
import { Counter, Histogram } from '../../../src/runtime/metrics/series.ts'
import { metricValue, parseMetrics } from '../../support/prometheus-text.ts'

describe('a metric', () => {
  test('counts label sets beyond its maximum together', () => {
    const counter = new Counter('csp_test_total', 'A test.')
    for (let at = 0; at < 600; at++) counter.add({ one: `a-${at}`, two: `b-${at}` })
    counter.add({ one: 'a-1', two: 'b-1' })
    const families = parseMetrics(formatFamilies([counter.family]))
    expect(families.get('csp_test_total')?.samples.length).toBe(501)
    expect(metricValue(families, 'csp_test_total', { one: 'other', two: 'other' })).toBe(100)
    expect(metricValue(families, 'csp_test_total', { one: 'a-1' })).toBe(2)
  })

  test('puts each time into the buckets that are as long or longer', () => {
    const histogram = new Histogram('csp_test_seconds', 'A test.')
    for (const seconds of [0.005, 0.05, 4, 4, 1000]) histogram.observe({ kind: 'x' }, seconds)
    const families = parseMetrics(formatFamilies([histogram.family]))
    const bucket = (le: string) => metricValue(families, 'csp_test_seconds_bucket', { kind: 'x', le })
    expect(['0.01', '0.05', '3', '5', '300', '+Inf'].map(bucket)).toEqual([1, 2, 2, 4, 4, 5])
    expect(metricValue(families, 'csp_test_seconds_count')).toBe(5)
    expect(metricValue(families, 'csp_test_seconds_sum')).toBeCloseTo(1008.055)
  })

  test('keeps a label that has quotes, backslashes and lines in one line', () => {
    const name = 'a "name"\\n of\ntwo lines'
    const text = formatFamilies([gauge('csp_test', 'A test.', [{ labels: { name }, value: 1 }])])
    expect(text.split('\n')[2]).toBe('csp_test{name="a \\"name\\"\\\\n of\\ntwo lines"} 1')
    expect(parseMetrics(text).get('csp_test')?.samples.length).toBe(1)
  })

  test('writes infinity as scrapers read it, and leaves out what is not known', () => {
    const samples = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => ({
      suffix: `_${value > 0}`,
      value,
    }))
    expect(
      formatFamilies([gauge('csp_test', 'A test.', [...samples, undefined])])
        .split('\n')
        .slice(2),
    ).toEqual(['csp_test_true +Inf', 'csp_test_false -Inf', ''])
  })

  test('counts nothing for nothing', () => {
    const counter = new Counter('csp_test_total', 'A test.')
    for (const by of [0, -1]) counter.add({ kind: 'x' }, by)
    expect(counter.family.samples).toEqual([])
  })

  test('has each series once, with the first of its values', () => {
    const samples = [1, 2].map((value) => ({ labels: { backend: 'claude' }, value }))
    const families = parseMetrics(formatFamilies([gauge('csp_test', 'A test.', samples)]))
    expect(families.get('csp_test')?.samples.map(({ value }) => value)).toEqual([1])
  })
})

describe('the parser of these tests', () => {
  const head = '# HELP csp_x X.\n# TYPE csp_x gauge\n'
  test.each([
    ['a sample without its TYPE', 'csp_x 1\n'],
    ['a series twice', `${head}csp_x 1\ncsp_x 2\n`],
    ['a sample of another family', `${head}csp_y 1\n`],
    ['no end of the last line', `${head}csp_x 1`],
    ['a value that is no number', `${head}csp_x one\n`],
    ['a quote in a label', `${head}csp_x{a="b"c"} 1\n`],
    ['a TYPE without HELP', '# TYPE csp_x gauge\ncsp_x 1\n'],
    ['a counter by another name', '# HELP csp_x X.\n# TYPE csp_x counter\ncsp_x 1\n'],
    ['a histogram without buckets', '# HELP csp_h H.\n# TYPE csp_h histogram\ncsp_h_count 1\n'],
  ])('refuses %s', (_, text) => {
    expect(() => parseMetrics(text)).toThrow()
  })
})
