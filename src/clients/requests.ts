import { isObject } from '@csp/lib/json'
import type { ClientAddress, ClientRequest } from './client.ts'

export const mcp = { kind: 'mcp' } as const satisfies ClientRequest

/** The key of an address, as HTTP libraries send it. */
export function basicKey({ key }: ClientAddress): Readonly<Record<string, string>> {
  return key ? { authorization: `Basic ${btoa(`csp:${key}`)}` } : {}
}

/** A POST of JSON. */
export function post(url: string, body: unknown, key?: string): Request {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** A search by Brave's API. */
export function braveSearch(url: string, query: string, key: string): Request {
  const headers = { accept: 'application/json', 'x-subscription-token': key }
  return new Request(`${url}?${new URLSearchParams({ q: query, count: '5' })}`, { headers })
}

/** The addresses in a reply of Brave's API. */
export function braveFound(reply: unknown): readonly string[] {
  return textsOf(memberOf(memberOf(reply, 'web'), 'results'), 'url')
}

/** A text member of each result that has it. */
export function resultTexts(reply: unknown, name: string): readonly string[] {
  return textsOf(memberOf(reply, 'results'), name)
}

/** A text member of each item that has it. */
export function textsOf(list: unknown, name: string): readonly string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  return items.flatMap((item) => {
    const text = memberOf(item, name)
    return typeof text === 'string' && text ? [text] : []
  })
}

/** A member of an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
