import { isObject } from '@csp/lib/json'
import { TurnClock } from '@csp/lib/turn-clock'
import { referencesOf } from '../serve/endpoint.ts'
import type { Vendor } from '../vendor.ts'
import { routes, vendors } from '../vendors.ts'
import { Components } from './components.ts'
import type { JsonObject } from './json-schema.ts'
import { type DescribedRoute, operation, operationId, type Spoken, spokenBy, templated } from './operation.ts'
import { ownOperations } from './own-operations.ts'

/**
 * Every route as OpenAPI 3.1, from the schemas that validate and the code that formats, as JSON. It takes most of a second,
 * and is made in pieces: others have their turns between two operations.
 */
export async function documentText(): Promise<string> {
  const turns = new TurnClock()
  const components = new Components()
  const spoken = new Map<string, Spoken>()
  const paths = new Map<string, JsonObject>()
  const add = (path: string, method: string, described: JsonObject) =>
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: described })
  for (const route of await describedRoutes(turns)) {
    const parts = spoken.get(route.name) ?? (await spokenBy(route, components, turns))
    spoken.set(route.name, parts)
    add(templated(route.path), route.method, operation(route, parts, components))
    await turns.rest()
  }
  for (const own of ownOperations(components)) {
    add(own.path, own.method, own.operation)
    await turns.rest()
  }
  return jsonText(
    {
      openapi: '3.1.1',
      info: { title: 'claude-search-proxy', version: '1', description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: './', description: 'This csp' }],
      security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
      tags: tagged(vendors),
      paths: Object.fromEntries(paths),
      components: { ...components.toJSON(), securitySchemes },
    },
    turns,
  )
}

/** As `JSON.stringify`, with turns for others between the fields of the first two levels and of those below. */
async function jsonText(value: JsonObject, turns: TurnClock, depth = 2): Promise<string> {
  const fields: string[] = []
  for (const [name, field] of Object.entries(value)) {
    const text = depth > 0 && isObject(field) ? await jsonText(field, turns, depth - 1) : JSON.stringify(field)
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`)
    await turns.rest()
  }
  return `{${fields.join(',')}}`
}

const description = [
  'Web search and written answers by the Claude Code CLI, in the words of the search APIs that clients speak.',
  'Each path under a tag speaks that vendor’s API: its fields, its replies, its errors.',
  'Unknown fields never break a call; what has no effect is named in the header `x-csp-ignored`.',
  '`null` counts as absent. Where the server asks for keys, any of the headers below carries one.',
].join(' ')

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
  'api-key': { type: 'apiKey', in: 'header', name: 'api-key' },
  'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
  'x-subscription-token': { type: 'apiKey', in: 'header', name: 'X-Subscription-Token' },
  basic: { type: 'http', scheme: 'basic' },
  'ocp-apim-subscription-key': { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key' },
}

function tagged(list: readonly Vendor[]): readonly JsonObject[] {
  return list.map(({ title, base }) => ({
    name: title,
    description: base ? `Base URL: the address of csp and \`${base}\`.` : 'Base URL: the address of csp.',
  }))
}

async function describedRoutes(turns: TurnClock): Promise<readonly DescribedRoute[]> {
  const names = new Map<string, string>()
  const described: DescribedRoute[] = []
  for (const { path, methods } of routes) {
    for (const [method, { vendor, name, load }] of Object.entries(methods)) {
      const endpoint = await load()
      const key = `${vendor.name} ${name}`
      const first = names.get(key) ?? operationId(method, path)
      names.set(key, first)
      const kind = endpoint.kind === 'own' ? 'search' : endpoint.kind
      described.push({ path, method, vendor, kind, name: first, references: referencesOf(endpoint) })
      await turns.rest()
    }
  }
  return described
}
