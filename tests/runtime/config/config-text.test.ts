import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { parseConfigFile } from '../../../src/runtime/config/config-file.ts'
import { configTemplate } from '../../../src/runtime/config/config-template.ts'
import { withoutSetting, withSetting } from '../../../src/runtime/config/config-text.ts'
import { fields } from '../../../src/runtime/config/declarations/fields.ts'
import { settings } from '../../../src/runtime/config/settings.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'
import { runs } from '../../support/runs.ts'

const set = (text: string, key: string, value: unknown) => withSetting('c.json', text, key, value)
const unset = (text: string, key: string) => withoutSetting('c.json', text, key)
const valuesIn = (text: string) => parseConfigFile('c.json', text).values

describe('the text of a configuration file keeps everything else when a setting', () => {
  test.each([
    ['{}', '{\n  "port": 1\n}'],
    ['{"a": 2}', '{"a": 2, "port": 1}'],
    ['{"a": 2,}', '{"a": 2, "port": 1,}'],
    ['{\n    "a": 2\n}\n', '{\n    "a": 2,\n    "port": 1\n}\n'],
    ['{\n  "a": 2, // two\n}', '{\n  "a": 2, // two\n  "port": 1,\n}'],
    ['{\n  "a": 2 // two\n  // the end\n}', '{\n  "a": 2, // two\n  // the end\n  "port": 1\n}'],
    ['{ // none\n}', '{ // none\n  "port": 1\n}'],
    ['{"port": 52480 /* usual */, "a": 2}', '{"port": 1 /* usual */, "a": 2}'],
    ['{\n  // "port": 52480,\n}', '{\n  "port": 1,\n}'],
    ['{\n  "a": 2\n  // "port": 52480,\n}', '{\n  "a": 2,\n  "port": 1,\n}'],
    ['{\n  // "port": 52480,\n  "a": 2\n}', '{\n  "port": 1,\n  "a": 2\n}'],
    ['/*\n// "port": 3,\n*/\n{"a": 2}', '/*\n// "port": 3,\n*/\n{"a": 2, "port": 1}'],
    ['{"models": {"port": 3}}', '{"models": {"port": 3}, "port": 1}'],
  ])('is written to %j', (text, expected) => {
    expect(set(text, 'port', 1)).toBe(expected)
    expect(valuesIn(expected)['port']).toBe(1)
  })

  test.each([
    ['{"port": 1}', '{}'],
    ['{"port": 1, "a": 2}', '{"a": 2}'],
    ['{"a": 2, "port": 1}', '{"a": 2 }'],
    ['{\n  "a": 2,\n  "port": 1\n}', '{\n  "a": 2\n}'],
    ['{\n  "a": 2,\n  "port": 1,\n}', '{\n  "a": 2,\n}'],
    ['{\n  // mine\n  "port": 1, // one\n  "a": 2\n}', '{\n  // mine\n  // one\n  "a": 2\n}'],
    ['{\n  "port": 1 /* before */ ,\n  "a": 2\n}', '{\n  /* before */ \n  "a": 2\n}'],
    ['{"a": 2}', '{"a": 2}'],
  ])('is taken out of %j', (text, expected) => {
    expect(unset(text, 'port')).toBe(expected)
    expect(valuesIn(expected)).not.toHaveProperty('port')
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
        const { [key]: _gone, ...others } = before
        const removed = unset(text, key)
        expect(valuesIn(removed)).toEqual(others)
        expect(count(removed)).toBe(count(text))
        // The line of a template is replaced by the setting, everything else stays.
        expect(count(text) - count(changed)).toBeWithin(0, 2)
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

describe('the template of the configuration', () => {
  test('holds no setting, and names every one', () => {
    expect(valuesIn(configTemplate())).toEqual({})
    for (const { flag } of settings) expect(configTemplate()).toContain(`  // "${flag}": `)
  })

  test('has the defaults, so that a line without its // changes nothing', () => {
    const text = configTemplate().replaceAll(/^ {2}\/\/ (?=")/gm, '  ')
    const values = valuesIn(text)
    expect(Object.keys(values)).toHaveLength(settings.length)
    for (const { flag, name, default: usual, defaultText } of settings) {
      const value = values[flag]
      const { data } = z.safeParse<z.ZodType>(fields.shape[name], value ?? undefined)
      if (defaultText === undefined) expect(data, flag).toEqual(usual)
      else expect(String(value)).toBe(defaultText)
    }
  })

  test('takes every setting in the place of its line', () => {
    let text = configTemplate()
    for (const { flag } of settings.toReversed()) text = set(text, flag, flag)
    expect(Object.keys(valuesIn(text))).toEqual(settings.map(({ flag }) => flag))
    expect(text.split('\n')).toHaveLength(configTemplate().split('\n').length)
  })
})
