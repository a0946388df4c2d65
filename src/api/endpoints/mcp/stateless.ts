import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

// MCP since 2026-07-28: no session and no `initialize`. Each request says in `_meta` which version it speaks, and over
// HTTP repeats in headers what it is. The SDK knows only the versions before; what differs is here.

/** The version without sessions. */
export const statelessVersion = '2026-07-28'
/** As `server/discover` and a refusal list them. */
export const protocolVersions = [statelessVersion, ...SUPPORTED_PROTOCOL_VERSIONS]

/** Whether the request speaks a version without sessions. */
export function isStateless(meta: unknown): boolean {
  return metaSchema.safeParse(meta).success
}

/** Why a request cannot be answered: with a status for HTTP, and with JSON-RPC's error. */
interface McpRefusal {
  readonly status: number
  readonly body: {
    readonly jsonrpc: '2.0'
    readonly id: string | number
    readonly error: { readonly code: number; readonly message: string; readonly data?: object }
  }
}

/**
 * Checks a message of a version without sessions. All others pass: notifications, and those of older versions, which
 * the SDK checks. Over HTTP the headers must repeat the message, since a proxy may have decided by them.
 */
export function refusedMessage(message: unknown, headers?: Headers): McpRefusal | undefined {
  const { data: request } = requestSchema.safeParse(message)
  if (!request) return undefined
  const { id, method, params } = request
  const refuse = (status: number, code: number, text: string, data?: object): McpRefusal => ({
    status,
    body: { jsonrpc: '2.0', id, error: { code, message: text, ...(data && { data }) } },
  })
  const header = headers?.get('mcp-protocol-version')
  const requested = metaSchema.safeParse(params._meta).data?.[versionKey]
  if (requested === undefined) {
    return header === statelessVersion
      ? refuse(400, ErrorCode.InvalidParams, `params._meta: "${versionKey}" is missing.`)
      : undefined
  }
  const wrong = headers && mismatch(headers, { version: requested, method, name: params.name })
  if (wrong !== undefined) return refuse(400, headerMismatch, wrong)
  if (requested !== statelessVersion) {
    const data = { supported: protocolVersions, requested }
    return refuse(400, unsupportedVersion, 'csp does not support this protocol version.', data)
  }
  if (!capableSchema.safeParse(params._meta).success) {
    return refuse(400, ErrorCode.InvalidParams, `params._meta: "${capabilitiesKey}" must be an object.`)
  }
  return methods.has(method)
    ? undefined
    : refuse(404, ErrorCode.MethodNotFound, `There is no method "${method.slice(0, 100)}".`)
}

/** Answers by itself, over a transport that has no headers, what has to be refused. */
export function refusing(transport: Transport): void {
  const receive = transport.onmessage
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    const refusal = refusedMessage(message)
    if (refusal) void transport.send(refusal.body)
    else receive?.(message, extra)
  }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
/** As the specification has it. */
const headerMismatch = -32020
const unsupportedVersion = -32022
/** All others, also `ping` and `initialize`, exist in older versions alone, or are for what csp does not offer. */
const methods = new Set(['server/discover', 'tools/list', 'tools/call'])

const metaSchema = z.object({ [versionKey]: z.string() })
const capableSchema = z.object({ [capabilitiesKey]: z.looseObject({}) })
const requestSchema = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.object({ _meta: z.unknown(), name: z.string().optional().catch(undefined) }).catch({ _meta: undefined }),
})

interface Repeated {
  readonly version: string
  readonly method: string
  readonly name: string | undefined
}

function mismatch(headers: Headers, { version, method, name }: Repeated): string | undefined {
  const pairs = [
    ['MCP-Protocol-Version', version],
    ['Mcp-Method', method],
    ...(method === 'tools/call' ? [['Mcp-Name', name ?? ''] as const] : []),
  ] as const
  for (const [header, value] of pairs) {
    const sent = headers.get(header)
    if (sent === null) return `Header mismatch: ${header} is missing.`
    if ((header === 'Mcp-Name' ? decoded(sent) : sent) !== value) {
      return `Header mismatch: ${header} differs from the message.`
    }
  }
  return undefined
}

/** What a header cannot hold comes as `=?base64?…?=`. */
function decoded(value: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value) ?? []
  if (encoded === undefined) return value
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0)))
  } catch {
    return value
  }
}
