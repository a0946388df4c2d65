import { describe, expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import { isPdf, kindOf } from '../../src/extract/kind.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** How a body is read, and its type; or why it is not. */
function read(body: string | Uint8Array, type = ''): unknown {
  try {
    const found = kindOf(typeof body === 'string' ? bytes(body) : body, type)
    return [found.kind, found.type]
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

const unreadable = (type: string) => `Pages of the type ${type} cannot be read.`
const binary = 'The page is not text, whatever the site says.'

test.each([
  [' TEXT/HTML ; charset=x', ['html', 'text/html']],
  ['application/xhtml+xml', ['html', 'application/xhtml+xml']],
  ['text/markdown', ['text', 'text/markdown']],
  ['application/x-ndjson', ['text', 'application/x-ndjson']],
  ['application/vnd.api+json', ['text', 'application/vnd.api+json']],
  ['image/svg+xml', unreadable('image/svg+xml')],
  ['image/png', unreadable('image/png')],
  ['application/pdf', 'Content-Type is PDF, but the content is not.'],
  ['application/octet-stream', ['text', 'text/plain']],
  ['no type', ['text', 'text/plain']],
] as const)('a body of the type %j is read as %j', (type, found) => {
  expect(read('Bees', type)).toEqual(found)
})

test('a body without a known type is HTML where its first 1024 bytes are', () => {
  const page = (before: number) => read(`${' '.repeat(before)}<p>Bees`)
  expect([page(0), page(1021), page(1022)]).toEqual([
    ['html', 'text/html'],
    ['html', 'text/html'],
    ['text', 'text/plain'],
  ])
  expect(read('<pre>Bees')).toEqual(['text', 'text/plain'])
})

test('a PDF is one whatever its type, with no more than space in its first 1024 bytes', () => {
  expect(read(' %PDF-1.7', 'text/html')).toEqual(['pdf', 'application/pdf'])
  expect([1019, 1020].map((before) => isPdf(bytes(`${' '.repeat(before)}%PDF-`)))).toEqual([true, false])
  expect(isPdf(bytes('x%PDF-'))).toBe(false)
})

test('a NUL in the first 4096 bytes is none of a text, unless that is UTF-16', () => {
  const at = (place: number) => read(`${'x'.repeat(place)}\0`, 'text/plain')
  expect([at(0), at(4095), at(4096)]).toEqual([binary, binary, ['text', 'text/plain']])
  const marked = (...mark: readonly number[]) => read(Uint8Array.of(...mark, 0, 98), 'text/plain')
  const text = ['text', 'text/plain']
  expect([marked(0xff, 0xfe), marked(0xfe, 0xff), marked(0xff, 0xff), marked(0xfe, 0xfe)]).toEqual([
    ...[text, text, binary, binary],
  ])
})

describe('text that is for programs', () => {
  test.each(
    `application/x-sh application/sql application/csv application/yaml application/toml application/x-python
    application/graphql application/x-tex application/jsonl application/typescript application/x-perl application/x-bibtex
    application/n-triples application/x-subrip application/problem+json-seq message/rfc822 text/x-rust`.split(/\s+/),
  )('%s is read, unless its bytes are none', (type) => {
    expect(read('#!/bin/sh\necho bees\n', type)).toEqual(['text', type])
    expect(read('\x7fELF\0', type)).toBe(binary)
  })

  test('has no title: what looks like one is a comment', async () => {
    const titleOf = async (contentType: string) => {
      const body = bytes('# Bees\n\necho bees\n')
      return (await extract({ body, contentType, url: 'https://a.example/', mainContentOnly: true })).title
    }
    expect([await titleOf('text/markdown'), await titleOf('text/plain'), await titleOf('application/x-sh')]).toEqual([
      ...['Bees', 'Bees', undefined],
    ])
  })

  test.each(
    `application/zip application/gzip application/x-tar application/wasm application/x-shockwave-flash application/msword
    application/vnd.ms-excel application/java-archive application/x-sqlite3 application/x-executable application/protobuf
    image/x-icon font/woff2 video/mp4 audio/x-mpegurl-other model/gltf-binary`.split(/\s+/),
  )('%s is not', (type) => expect(read('PK', type)).toBe(unreadable(type)))
})
