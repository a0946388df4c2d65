import { isObject } from '@csp/lib/json'
import type { z } from 'zod'
import { native } from '../dialects/native/vendor.ts'
import type { OwnEndpoint } from '../endpoints/own-endpoint.ts'
import { methodsOf, ownEndpoints } from '../own-endpoints.ts'
import { withV1 } from '../vendor.ts'
import type { Components } from './components.ts'
import { errorReplies } from './failures.ts'
import { headerRefs } from './headers.ts'
import { inputSchema, type JsonObject, schemaOfExample } from './json-schema.ts'
import { operationId, templated } from './operation.ts'

/** SearXNG's bare address is sent on to its search. */
const redirects = [
  { path: '/', methods: ['POST'] },
  ...withV1('/searxng').map((path) => ({ path, methods: ['GET', 'POST'] })),
]

export interface OwnOperation {
  readonly path: string
  readonly method: string
  readonly operation: JsonObject
}

/** Describes the routes that neither search nor read pages. */
export function ownOperations(components: Components): readonly OwnOperation[] {
  return [
    ...ownEndpoints.flatMap(([paths, endpoint]) =>
      paths.flatMap((path) =>
        (path === '/' ? ['GET'] : methodsOf(endpoint)).map((method) => ({
          path: templated(path),
          method,
          operation: describe(endpoint, path, method, components),
        })),
      ),
    ),
    ...redirects.flatMap(({ path, methods }) =>
      methods.map((method) => ({
        path,
        method,
        operation: {
          operationId: operationId(method, path),
          tags: ['SearXNG'],
          summary: 'SearXNG by its bare address',
          parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string' }, example: 'heat pumps' }],
          responses: { 308: { description: 'To the search, with the same method and form.' } },
        },
      })),
    ),
  ]
}

function describe(endpoint: OwnEndpoint, path: string, method: string, components: Components): JsonObject {
  const { summary, reply, query, isOpen, status = {} } = endpoint.reference
  const placed = /:(\w+)/.exec(path)?.[1]
  const others = Object.entries(status).map(([code, description]) => [code, { description }] as const)
  return {
    operationId: operationId(method, path),
    tags: [native.title],
    summary,
    ...(endpoint.isHere && { description: 'Some servers have no such route.' }),
    ...(isOpen && { security: [{}] }),
    parameters: [
      ...(placed ? [{ name: placed, in: 'path', required: true, schema: { type: 'string' } }] : []),
      ...Object.entries(propertiesOf(query)).map(([name, schema]) => ({ name, in: 'query', schema })),
    ],
    responses: {
      200: {
        description: `${summary}.`,
        headers: headerRefs(['x-request-id'], components),
        ...(method !== 'HEAD' && { content: contentOf(reply) }),
      },
      ...errorReplies(native, method, 'own', components),
      ...Object.fromEntries(others),
    },
  }
}

function propertiesOf(query: z.ZodType | undefined): JsonObject {
  const properties = query && inputSchema(query)['properties']
  return isObject(properties) ? properties : {}
}

function contentOf(reply: JsonObject | string): JsonObject {
  if (typeof reply === 'string') return { [reply]: { schema: { type: 'string' } } }
  return { 'application/json': { schema: schemaOfExample(reply), example: reply } }
}
