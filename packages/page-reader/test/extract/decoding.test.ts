import { expect, test } from 'bun:test'
import { decodeText } from '../../src/extract/charset.ts'
import { kindOf } from '../../src/extract/kind.ts'
import { PageError } from '../../src/page-error.ts'

const bytes = (...values: readonly number[]) => Uint8Array.from(values)
const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

test.each([
  ['the mark of UTF-8', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
  ['the mark of UTF-16, the low byte first', bytes(0xff, 0xfe, 0xe9, 0), 'é'],
  ['the mark of UTF-16, the high byte first', bytes(0xfe, 0xff, 0, 0xe9), 'é'],
  ['a part of the mark of UTF-8', bytes(0xef, 0xbb, 0x41), 'ï»A'],
  ['its other ends', bytes(0xef, 0x41, 0xbf), 'ïA¿'],
  ['its end', bytes(0x41, 0xbb, 0xbf), 'A»¿'],
  ['a part of the mark of UTF-16', bytes(0xff, 0x41), 'ÿA'],
  ['the other part', bytes(0x41, 0xfe), 'Aþ'],
  ['a part of the other mark', bytes(0xfe, 0x41), 'þA'],
  ['the other part of that', bytes(0x41, 0xff), 'Aÿ'],
])('a body in Latin-1, as its type says, that begins with %s', (_, body, text) => {
  expect(decodeText(body, 'text/html; charset=iso-8859-1')).toBe(text)
})

test('what a page says of its encoding counts, behind what its type says', () => {
  const said = (tag: string, before = 0, type = 'text/html') =>
    decodeText(latin(`${' '.repeat(before)}${tag}\xc1`), type)
      .trim()
      .at(-1)
  const tag = '<meta charset=koi8-r>'
  expect([said(tag), said(tag, 1024 - tag.length), said(tag, 1025 - tag.length)]).toEqual(['а', 'а', 'а'])
  expect(said('<?xml version="1.0" encoding="koi8-r"?>')).toBe('а')
  expect(said(tag, 0, 'text/html; charset=iso-8859-5')).toBe('С')
  expect(said('<p>charset=koi8-r')).toBe('Á')
})

/** The kind and type of a body, or why it cannot be read. */
function kindIn(body: Uint8Array | string, type: string): string {
  try {
    const found = kindOf(typeof body === 'string' ? new TextEncoder().encode(body) : body, type)
    return `${found.kind} ${found.type}`
  } catch (error) {
    if (error instanceof PageError) return error.message
    throw error
  }
}

const nul = (at: number) => `${'a'.repeat(at)}\0`

test.each([
  ['<p>', 'Text/HTML; charset=utf-8', 'html text/html'],
  ['<p>', 'application/xhtml+xml', 'html application/xhtml+xml'],
  ['{}', 'application/ld+json', 'text application/ld+json'],
  ['{}', 'application/vnd.api+yaml', 'text application/vnd.api+yaml'],
  ['a', 'text/x-anything', 'text text/x-anything'],
  ['<svg>', 'image/svg+xml', 'Pages of the type image/svg+xml cannot be read.'],
  ['a', 'image/png', 'Pages of the type image/png cannot be read.'],
  ['%PDF-1.7', 'image/png', 'pdf application/pdf'],
  [' \n%PDF-1.7', 'text/plain', 'pdf application/pdf'],
  [`${' '.repeat(1019)}%PDF-`, '', 'pdf application/pdf'],
  [`${' '.repeat(1020)}%PDF-`, '', 'text text/plain'],
  ['a %PDF-1.7', '', 'text text/plain'],
  ['a', 'application/pdf', 'Content-Type is PDF, but the content is not.'],
  [nul(4095), 'text/html', 'The page is not text, whatever the site says.'],
  [nul(4096), 'text/html', 'html text/html'],
  [bytes(0xff, 0xfe, 0x41, 0), 'text/html', 'html text/html'],
  [bytes(0xfe, 0xff, 0, 0x41), 'text/html', 'html text/html'],
  [bytes(0xff, 0x41, 0), 'text/html', 'The page is not text, whatever the site says.'],
  [bytes(0x41, 0xfe, 0), 'text/html', 'The page is not text, whatever the site says.'],
  [bytes(0xfe, 0x41, 0), 'text/html', 'The page is not text, whatever the site says.'],
  [bytes(0x41, 0xff, 0), 'text/html', 'The page is not text, whatever the site says.'],
  [`${' '.repeat(1018)}<html>`, '', 'html text/html'],
  [`${' '.repeat(1019)}<html>`, '', 'text text/plain'],
  ['<p>', 'application/octet-stream', 'html text/html'],
  ['a < b', 'binary/octet-stream', 'text text/plain'],
  ['a', 'nonsense', 'text text/plain'],
])('the body %.20j of the type %j is %s', (body, type, kind) => expect(kindIn(body, type)).toBe(kind))
