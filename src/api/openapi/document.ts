import { referencesOf } from '../serve/endpoint.ts'
import type { Vendor } from '../vendor.ts'
import { routes, vendors } from '../vendors.ts'
import { Components } from './components.ts'
import type { JsonObject } from './json-schema.ts'
import { type DescribedRoute, operation, operationId, type Spoken, spokenBy, templated } from './operation.ts'
import { ownOperations } from './own-operations.ts'

/** Every route as OpenAPI 3.1, from the schemas that validate and the code that formats. */
export async function createDocument(): Promise<JsonObject> {
  const components = new Components()
  const spoken = new Map<string, Promise<Spoken>>()
  const paths = new Map<string, JsonObject>()
  const add = (path: string, method: string, described: JsonObject) =>
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: described })
  for (const route of await describedRoutes()) {
    const parts = spoken.get(route.name) ?? spokenBy(route, components)
    spoken.set(route.name, parts)
    add(templated(route.path), route.method, operation(route, await parts, components))
  }
  for (const own of ownOperations(components)) add(own.path, own.method, own.operation)
  return {
    openapi: '3.1.1',
    info: { title: 'claude-search-proxy', version: '1', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: './', description: 'This csp' }],
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    tags: tagged(vendors),
    paths: Object.fromEntries(paths),
    components: { ...components.toJSON(), securitySchemes },
  }
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

async function describedRoutes(): Promise<readonly DescribedRoute[]> {
  const names = new Map<string, string>()
  const all = routes.flatMap(({ path, methods }) =>
    Object.entries(methods).map(([method, answering]) => ({ path, method, ...answering })),
  )
  return Promise.all(
    all.map(async ({ path, method, vendor, name, load }) => {
      const endpoint = await load()
      const key = `${vendor.name} ${name}`
      const first = names.get(key) ?? operationId(method, path)
      names.set(key, first)
      const kind = endpoint.kind === 'own' ? 'search' : endpoint.kind
      return { path, method, vendor, kind, name: first, references: referencesOf(endpoint) }
    }),
  )
}
