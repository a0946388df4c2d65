import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseYaml } from 'yaml'
import { filesOf, withClientTable } from '../../scripts/client-table.ts'
import type { Place } from '../../src/clients/client.ts'
import { clients } from '../../src/clients/clients.ts'
import { settingsValue } from '../../src/clients/settings-text.ts'
import { documents, root } from './markdown.ts'

test('docs/clients/README.md has the table of the manifests', () => {
  const page = readFileSync(join(root, 'docs/clients/README.md'), 'utf8')
  expect(page).toBe(withClientTable(page))
})

/** Languages of blocks, by the formats of files that they show. */
const parsers = {
  json: ['json', (code: string) => parseJsonc(code)],
  json5: ['json', (code: string) => parseJsonc(code)],
  yaml: ['yaml', (code: string) => parseYaml(code)],
  toml: ['toml', (code: string) => Bun.TOML.parse(code)],
  env: ['ini', (code: string) => parseEnv(code)],
} as const

describe.each(clients.map(({ id }) => id))('docs/clients/%s.md', (id) => {
  const client = clients.find((each) => each.id === id)
  const path = `docs/clients/${id}.md`
  const files = client ? filesOf(client) : []

  // Claude Desktop's entry has paths of a machine, and OpenClaw's page has a table.
  test.skipIf(files.length === 0 || id === 'claude-desktop' || id === 'openclaw')('shows what csp writes', () => {
    const [page] = documents([path])
    for (const { format, settings } of files) {
      const [language, parse] = parsers[format]
      const shown = page?.fences.filter((fence) => fence.language === language).map(({ code }) => parse(code)) ?? []
      const wanted = settingsValue(settings)
      const closest = shown.find((value) => Bun.deepMatch(Object(wanted), Object(value)))
      expect({ path, shown: closest ?? shown }).toMatchObject({ path, shown: Object(wanted) })
    }
  })

  test('says how it is set up, and how long it waits where that may be too short', () => {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text).toContain(`csp setup ${id}`)
    const { patienceMs = Number.POSITIVE_INFINITY } = client?.request ?? {}
    if (patienceMs < 30_000) expect(text).toContain(`waits ${patienceMs / 1000} s for a`)
  })
})

test('docs/clients/openclaw.md names each setting that csp writes', () => {
  const text = readFileSync(join(root, 'docs/clients/openclaw.md'), 'utf8')
  const ways = clients.flatMap((client) => (client.byPlugin ? [client, client.byPlugin] : []))
  const nameOf = (place: Place) => place.filter((step) => typeof step === 'string').join('.')
  const places = ways.flatMap((way) => filesOf(way).flatMap(({ settings }) => settings))
  const named = places.filter(({ value }) => value !== undefined && value !== true).map(({ place }) => nameOf(place))
  expect(named.length).toBeGreaterThan(8)
  const isNamed = (name: string) =>
    [name, name.replace(/entries\.\w+/, 'entries.…')].some((each) => text.includes(each))
  expect(named.filter((name) => !isNamed(name))).toEqual([])
})
