import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { parseConfigFile } from '../../../src/runtime/config/config-file.ts'
import { withSetting } from '../../../src/runtime/config/config-text.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

const set = (text: string, key: string, value: unknown) => withSetting('c.json', text, key, value)
const unset = (text: string, key: string) => withSetting('c.json', text, key, undefined)
const valuesIn = (text: string) => parseConfigFile('c.json', text).values

describe('the text of a configuration file keeps everything else when a setting', () => {
  test.each([
    ['{}', '{\n  "port": 1\n}'],
    ['{"a": 2}', '{"a": 2, "port": 1}'],
    ['{"a": 2,}', '{"a": 2, "port": 1,}'],
    ['{\n    "a": 2\n}\n', '{\n    "a": 2,\n    "port": 1\n}\n'],
    ['{"port": 52480 /* usual */, "a": 2}', '{"port": 1 /* usual */, "a": 2}'],
    ['{"models": {"port": 3}}', '{"models": {"port": 3}, "port": 1}'],
  ])('is written to %j', (text, expected) => {
    expect(set(text, 'port', 1).replaceAll('"port":1', '"port": 1')).toBe(expected)
    expect(valuesIn(expected)['port']).toBe(1)
  })

  test.each([
    '{"port": 1}',
    '{\n  "port": 1, // one\n}',
    '{"port": 1, "a": 2}',
    '{\n  "a": 2,\n  "port": 1,\n}',
    '{"port": 1 /* , */ ,}',
  ])('is taken out of %j', (text) => {
    const { port: _, ...others } = valuesIn(text)
    expect(valuesIn(unset(text, 'port'))).toEqual(others)
  })

  test('is set or unset anywhere in any file', () => {
    const comment = fc.constantFrom('', ' // "b": 2,', ' /* , } */', '\n// x\n')
    const property = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '"x"', '[1, 2]', '{"b": 1}'))
    const file = fc.record({
      properties: fc.uniqueArray(property, { selector: ([name]) => name, maxLength: 4 }),
      comments: fc.array(comment, { minLength: 10, maxLength: 10 }),
      space: fc.constantFrom('', ' ', '\n  '),
      trailing: fc.boolean(),
    })
    fc.assert(
      fc.property(file, fc.constantFrom('a', 'b', 'z'), ({ properties, comments, space, trailing }, key) => {
        const line = (text: string) => (text.includes('//') ? `${text}\n` : text)
        const inner = properties.map(([name, value], index) => {
          const comma = index < properties.length - 1 || trailing ? ',' : ''
          return `${space}"${name}": ${value}${line(comments[index * 2] ?? '')}${comma}${line(comments[index * 2 + 1] ?? '')}`
        })
        const text = `{${inner.join('')}${space}}`
        const before = valuesIn(text)
        const count = (all: string) => all.split(/\/\/ "b"|\/\* , } \*\/|\/\/ x/).length

        const changed = set(text, key, 'new')
        expect(valuesIn(changed)).toEqual({ ...before, [key]: 'new' })
        expect(count(changed)).toBe(count(text))
        const { [key]: _gone, ...others } = before
        expect(valuesIn(unset(text, key))).toEqual(others)
      }),
      { numRuns: runs(500) },
    )
  })

  test('stands there twice and cannot be changed', () => {
    const twice = '{"port": 1, "port": 2}'
    for (const change of [() => set(twice, 'port', 3), () => unset(twice, 'port')]) {
      expect(change).toThrow(new UsageError('"port" occurs more than once in c.json: csp config edit'))
    }
  })
})
