import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { configSchemaText, newConfig } from '../../../src/runtime/config/json-schema.ts'
import { settings } from '../../../src/runtime/config/settings.ts'

const schema = JSON.parse(configSchemaText())
const validator = new Validator(schema, '7', false)
const faultsOf = (value: unknown) =>
  validator.validate(value).errors.map(({ instanceLocation }) => instanceLocation.slice(1))

test('the schema that is published is that of the declarations', () => {
  const published = readFileSync(join(import.meta.dir, '../../../docs/config.schema.json'), 'utf8')
  expect(published).toBe(configSchemaText())
})

test('the schema describes each setting and nothing else', () => {
  const names = ['$schema', ...settings.map(({ flag }) => flag)]
  expect(Object.keys(schema.properties).toSorted()).toEqual(names.toSorted())
  for (const { flag, help } of settings) expect(schema.properties[flag].description).toContain(help)
})

test.each([
  {},
  { $schema: './config.schema.json', port: 8080, 'cache-ttl': '2h', 'plan-reserve': '20%', sandbox: 'real' },
  { backends: 'claude,searxng', 'allowed-hosts': ['a.example'], host: '127.0.0.1', sandbox: true },
  { models: { 'gpt-x': { effort: 'fast', model: 'haiku' } }, BRAVE_API_KEY: 'k', 'searxng-url': 'HTTP://s.example' },
  { gateway: [{ name: 'claude' }, { name: 'a', url: 'http://127.0.0.1:9', idle: '10m', models: { '*': ['a', 'b'] } }] },
  { 'default-language': 'pt-BR', 'daily-searches': 0 },
])('the schema takes what csp takes: %j', (value) => {
  expect(faultsOf(value)).toEqual([])
})

test.each([
  [{ page: 'maybe' }, '/page'],
  [{ port: -1 }, '/port'],
  [{ backends: ['google'] }, '/backends/0'],
  [{ models: { a: { effort: 'quick' } } }, '/models/a/effort'],
  [{ prot: 1 }, ''],
])('the schema shows what is wrong in %j', (value, place) => {
  expect(faultsOf(value)).toContain(place)
})

test('a file that names its schema has no unknown key', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'csp-schema-')), 'config.json')
  writeFileSync(path, newConfig)
  expect(loadConfig({ config: path }, { HOME: '/nowhere' }, '/').warnings).toEqual([])
})
