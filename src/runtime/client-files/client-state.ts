import { existsSync, rmdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isObject } from '@csp/lib/json'
import type { ClientAddress, ClientAddresses } from '../../clients/client.ts'
import { noKey } from '../../clients/settings.ts'
import type { Environment } from '../shell/shell.ts'
import { backupOf, type ClientChange, type ClientFile, isNamedAfterUs, removalOf, valueAt } from './client-file.ts'
import type { KnownClient } from './known-clients.ts'
import { removePlugin } from './openclaw-program.ts'

/** The files of a client and what csp wants in them; none where only the user knows its file. */
export function filesOf(client: KnownClient, addresses: ClientAddresses): readonly ClientFile[] {
  const { title, file, isKnownByCopy } = client
  if (file === undefined) return []
  const inItsFolder = (name: string | undefined) => (name === undefined ? file : join(dirname(file), name))
  return client.files(addresses).map((each) => ({ title, isKnownByCopy, ...each, file: inItsFolder(each.beside) }))
}

/**
 * The address of csp that a client's files have, with its key; `undefined` if they name none. Throws a `UsageError`
 * for a file that it cannot read.
 */
export function addressIn(client: KnownClient, addresses: ClientAddresses): ClientAddress | undefined {
  const found = { url: '', key: '' }
  for (const file of filesOf(client, { ...addresses, address: stand })) {
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
export function hasCsp(client: KnownClient, addresses: ClientAddresses): boolean {
  if (client.isKnownByCopy) return client.file !== undefined && existsSync(backupOf(client.file))
  if (addressIn(client, addresses)) return true
  return filesOf(client, addresses).some((file) =>
    file.settings.some(({ place }) => isNamedAfterUs(place) && valueAt(file, place) !== undefined),
  )
}

/** The changes that take csp out of a client's files, whichever way it came there. */
export function removalsFor(client: KnownClient, addresses: ClientAddresses): readonly ClientChange[] {
  const files = waysOf(client).flatMap((way) => {
    return filesOf(way, { ...addresses, address: addressIn(way, addresses) ?? addresses.address })
  })
  const byPath = [...Map.groupBy(files, ({ file }) => file).values()]
  return byPath.flatMap((same) => {
    const [first] = same
    return first ? [removalOf({ ...first, settings: same.flatMap(({ settings }) => settings) })] : []
  })
}

/**
 * Takes csp out of a client's files, and our plugin out of the client. Resolves to what is left for the user to do, if
 * there is anything.
 */
export async function takeOut(
  client: KnownClient,
  addresses: ClientAddresses,
  environment: Environment,
): Promise<string | undefined> {
  const advice = client.byPlugin && (await removePlugin(client, environment))
  // The client itself may have written there.
  for (const change of removalsFor(client, addresses)) await change.write()
  removeEmptyFolders(client)
  return advice
}

/** Removes the folders of a client's file up to the client's own, as far as they are empty: csp may have made them. */
export function removeEmptyFolders({ file, trace }: KnownClient): void {
  if (file === undefined || trace === undefined || file === trace || existsSync(file)) return
  try {
    for (let folder = dirname(file); isWithin(folder, trace); folder = dirname(folder)) rmdirSync(folder)
  } catch {
    // It has something in it, or is not there.
  }
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(outer + sep)
}

/** A client as it is set up usually, and by a plugin of ours. */
export function waysOf(client: KnownClient): readonly KnownClient[] {
  return client.byPlugin ? [client, { ...client.byPlugin, file: client.file }] : [client]
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
