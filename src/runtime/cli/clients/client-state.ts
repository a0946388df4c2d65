import { isObject } from '../../../lib/json.ts'
import { type ClientAddress, noKey } from '../../../web-ui/client-settings.ts'
import { type ClientChange, type ClientFile, isNamedAfterUs, removalOf, valueAt } from './client-file.ts'
import type { ClientRoads, KnownClient } from './known-client.ts'

/** The files of a client and what csp wants in them; none where only the user knows its file. */
export function filesOf(client: KnownClient, roads: ClientRoads): readonly ClientFile[] {
  const { title, file } = client
  return file === undefined ? [] : client.files(file, roads).map((each) => ({ title, ...each }))
}

/**
 * The address of csp that a client's files have, with its key; `undefined` where they name none. Throws a `UsageError`
 * for a file that it cannot read.
 */
export function addressIn(client: KnownClient, roads: ClientRoads): ClientAddress | undefined {
  const found = { url: '', key: '' }
  for (const file of filesOf(client, { ...roads, address: stand })) {
    for (const { place, value } of file.settings) {
      const texts = textsIn(value).filter(([, text]) => text.includes(stand.url) || text.includes(stand.key))
      if (texts.length === 0) continue
      const present = valueAt(file, place)
      for (const [path, text] of texts) {
        const groups = matchTemplate(text, path.reduce(memberOf, present))
        // A key alone may be absent.
        if (!groups && text.includes(stand.url)) return undefined
        Object.assign(found, groups)
      }
    }
  }
  const { url, key } = found
  return url ? { url, ...(key && key !== noKey && { key }) } : undefined
}

/** Whether a client's files have something of csp. */
export function hasCsp(client: KnownClient, roads: ClientRoads): boolean {
  if (addressIn(client, roads)) return true
  return filesOf(client, roads).some((file) =>
    file.settings.some(({ place }) => isNamedAfterUs(place) && valueAt(file, place) !== undefined),
  )
}

/** The changes that take csp out of a client's files. */
export function removalsFor(client: KnownClient, roads: ClientRoads): readonly ClientChange[] {
  const address = addressIn(client, roads) ?? roads.address
  return filesOf(client, { ...roads, address }).map(removalOf)
}

/** Stands for the address in settings, to find where it is. */
const stand = { url: 'http://csp.invalid:1', key: 'KEY-OF-CSP' }

function matchTemplate(template: string, present: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof present !== 'string') return undefined
  const parts = template.split(/(http:\/\/csp\.invalid:1|KEY-OF-CSP)/).map((part) => {
    if (part === stand.url) return String.raw`(?<url>https?://\S+?)`
    return part === stand.key ? String.raw`(?<key>\S+)` : part.replace(/[^\w]/g, String.raw`\$&`)
  })
  return new RegExp(`^${parts.join('')}$`).exec(present)?.groups
}

function textsIn(value: unknown, path: readonly string[] = []): readonly (readonly [readonly string[], string])[] {
  if (typeof value === 'string') return [[path, value]]
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key])) : []
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined
}
