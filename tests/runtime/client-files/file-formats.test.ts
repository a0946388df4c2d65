import { describe, expect, test } from 'bun:test'
import { fileFormats } from '../../../src/runtime/client-files/file-formats.ts'

const entry = '"csp": {\n      "url": "u"\n    }'

test.each([
  [
    'on lines',
    '{\n  "servers": {\n    "other": { "args": ["a", "b"] }\n  },\n  "theme": "dark"\n}\n',
    `] },\n    ${entry}\n  },`,
  ],
  [
    'on one line',
    '{"servers":{"other":{"args":["a"]}},\n   "theme": "dark" }\n',
    '["a"]}, "csp": {"url":"u"}},\n   "theme"',
  ],
  ['with a final comma', '{\n  "servers": {\n    "other": {"a": 1},\n  },\n}\n', `{"a": 1},\n    ${entry},\n  },`],
  [
    'with lines of Windows',
    '{\r\n  "servers": {\r\n    "other": {"a": 1}\r\n  }\r\n}\r\n',
    '{"a": 1},\r\n    "csp": {\r\n      "url": "u"\r\n    }\r\n',
  ],
])('a new member of JSON %s leaves its neighbours as they are', (_, text, expected) => {
  const written = fileFormats.json.set(text, ['servers', 'csp'], { url: 'u' })
  expect(written).toContain(expected)
  expect(fileFormats.json.parse(written)).toMatchObject({ servers: { csp: { url: 'u' } } })
})

describe('JSON5', () => {
  const { parse, set } = fileFormats.json5

  test('keeps its comments, and gets double quotes', () => {
    const text = "{\n  // on: 1\n  on: true, 'a b': 0x10, /* 'c': d */ c: 'it\\'s \"x\"', list: [+1, 'http://y',],\n}\n"
    expect(set(text, ['n'], 2)).toBe(
      '{\n  // on: 1\n  "on": true, "a b": 16, /* \'c\': d */ "c": "it\'s \\"x\\"", "list": [1, "http://y",], "n": 2,\n}\n',
    )
  })

  test('that is JSON already stays as it is', () => {
    expect(set('{"a":1, // mine\n}', ['a'], undefined)).toContain('// mine')
    expect([parse('{a: 1}'), parse('{a: 1'), parse('')]).toEqual([{ a: 1 }, undefined, undefined])
  })
})

describe('YAML', () => {
  const { parse, set } = fileFormats.yaml

  test('of comments alone is empty, and with an error it is none', () => {
    expect([parse('# mine\n'), parse('a: 1'), parse('a: [')]).toEqual([{}, { a: 1 }, undefined])
  })

  test.each([
    ['a:\n- x\nb: 1\n', ['c'], 2, 'a:\n- x\nb: 1\nc: 2\n'],
    ['a:\n  - x\nb: {c: 1}\n', ['c'], 2, 'a:\n  - x\nb: {c: 1}\nc: 2\n'],
    ['b: { c: 1 }\n', ['b', 'd'], 2, 'b: { c: 1, d: 2 }\n'],
    ['a: 1\r\n', ['b'], 2, 'a: 1\r\nb: 2\r\n'],
    ['a: 1 # one\nb: 2\n', ['b'], undefined, 'a: 1 # one\n'],
    ['a:\nb: 1\n', ['a', 'c', 'd'], 2, 'a:\n  c:\n    d: 2\nb: 1\n'],
    ['a: # none yet\n', ['a', 0, 'd'], 2, 'a:\n  # none yet\n  - d: 2\n'],
    ['a:\n  b: 1\n', ['a', 'b'], { c: 2 }, 'a:\n  b:\n    c: 2\n'],
    ['', ['a', 'b'], 1, 'a:\n  b: 1\n'],
    [`a: ${'word '.repeat(40)}end\n`, ['b'], 1, `a: ${'word '.repeat(40)}end\nb: 1\n`],
  ])('%j with %j set to %j keeps the rest', (text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected)
  })

  test('with another value in the way is refused', () => {
    for (const text of ['a: text\n', 'a: 0\n', 'a: false\n']) expect(() => set(text, ['a', 'b', 'c'], 1)).toThrow()
  })
})

test.each([
  ['', 'B', 1, 'B=1\n'],
  ['A=1\n', 'B', 2, 'A=1\nB=2\n'],
  ['A=1', 'B', 2, 'A=1\nB=2\n'],
  ['A=1\n\n# end\n', 'A', 2, 'A=2\n\n# end\n'],
  ['B=1\n export B = 2\nC=3\n', 'B', 'x y', "B=1\nB='x y'\nC=3\n"],
  ['A=1\nB=2\n', 'A', undefined, 'B=2\n'],
  ['A=1\n', 'A', undefined, ''],
  ['A=1\n', 'B', undefined, 'A=1\n'],
  ['#B=1\n', 'B', 2, '#B=1\nB=2\n'],
])('a file of variables %j with %s set to %p is %j', (text, name, value, expected) => {
  expect(fileFormats.env.set(text, [name], value)).toBe(expected)
})

describe('TOML', () => {
  const { set } = fileFormats.toml
  const table = '[servers.csp]\nurl = "u"\n'

  test.each([
    [
      `${table}\n# Of the other one.\n[servers.other]\nurl = "o"\n`,
      '\n# Of the other one.\n[servers.other]\nurl = "o"\n',
    ],
    [`a = 1\n\n${table}# mine\n`, 'a = 1\n# mine\n'],
    [`a = 1\n\n${table}\n[b]\nc = 1\n`, 'a = 1\n\n[b]\nc = 1\n'],
  ])('of %j keeps the comments behind a table that goes', (text, expected) => {
    expect(set(text, ['servers', 'csp'], undefined)).toBe(expected)
  })

  test('with lines of Windows gets a table with such lines', () => {
    expect(set('a = 1\r\n', ['servers', 'csp'], { url: 'u' })).toBe('a = 1\r\n\r\n[servers.csp]\r\nurl = "u"\r\n')
  })
})
