import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientSnippets } from '../../src/clients/snippets.ts'

const url = 'http://127.0.0.1:52480'
const folder = join(import.meta.dir, '../../docs/clients')
const docs = [...readdirSync(folder).map((name) => join(folder, name)), join(import.meta.dir, '../../README.md')]
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

test('every address in a configuration of the page stands in the docs as well', () => {
  const addresses = clientSnippets({ url }).flatMap(({ text }) => text.match(/http:\/\/127[^\s'"?]*/g) ?? [])
  expect(addresses.length).toBeGreaterThan(10)
  expect(addresses.filter((address) => !docs.includes(address))).toEqual([])
})

test('a key that is required stands in every configuration but that of a bare address', () => {
  const without = clientSnippets({ url, key: 'YOUR-KEY' }).filter(({ text }) => !text.includes('YOUR-KEY'))
  expect(without.map(({ client }) => client)).toEqual(['SearXNG clients'])
  expect(clientSnippets({ url }).some(({ text }) => text.includes('Bearer'))).toBe(false)
})
