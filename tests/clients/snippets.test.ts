import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clients } from '../../src/clients/clients.ts'
import { clientSnippets } from '../../src/clients/snippets.ts'

const url = 'http://127.0.0.1:52480'
const folder = join(import.meta.dir, '../../docs/clients')
const docs = [...readdirSync(folder).map((name) => join(folder, name)), join(import.meta.dir, '../../README.md')]
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

const snippets = (key?: string) => clientSnippets({ url, key }).flatMap((group) => group.snippets)

test('every address in a configuration of the page stands in the docs as well', () => {
  const addresses = snippets().flatMap(({ text }) => text.match(/http:\/\/127[^\s'"?]*/g) ?? [])
  expect(addresses.length).toBeGreaterThan(10)
  expect(addresses.filter((address) => !docs.includes(address))).toEqual([])
})

test('a key that is required stands in every configuration but that of a bare address, and of a program of this user', () => {
  const without = snippets('YOUR-KEY').filter(({ text }) => !text.includes('YOUR-KEY'))
  expect(without.map(({ client }) => client)).toEqual(['Claude Desktop', 'SearXNG clients'])
  expect(snippets().some(({ text }) => text.includes('Bearer'))).toBe(false)
})

test('every client that csp setup knows has a configuration, once', () => {
  const shown = snippets().map(({ client }) => client)
  expect(clients.map(({ title }) => title).filter((title) => !shown.includes(title))).toEqual([])
  expect(new Set(shown).size).toBe(shown.length)
})
