import { expect, test } from 'bun:test'
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
