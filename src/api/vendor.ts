import { once } from '@csp/lib/once'
import type { Envelope } from './exchange/failure.ts'
import type { Endpoint } from './serve/endpoint.ts'

/**
 * The manifest of one vendor: every path that costs a search, reads pages or keeps a job, and what answers there.
 * Importing it must stay cheap, so it holds the error envelope and loads everything else when a path is first requested.
 */
export interface Vendor<Name extends string = string> extends Envelope {
  /** As people write it. */
  readonly title: string
  /** What clients put behind the address of csp as their base URL: `/res/v1`. Empty: nothing. */
  readonly base: string
  /** Beginnings of paths without a route whose errors are this vendor's as well: `/res`. */
  readonly prefixes?: readonly string[] | undefined
  /** The field of a JSON body in which clients may send the key. It is read under `prefixes`. */
  readonly keyField?: string | undefined
  /** The parameter of a query string in which clients may send the key. It is read under `prefixes` and at `routes`. */
  readonly keyParameter?: string | undefined
  /** For paths that have other uses: what those of this vendor's requests look like. */
  readonly only?: RegExp | undefined
  /** Paths, in which `:name` stands for any segment, and for each method the name of what answers there. */
  readonly routes: readonly (readonly [paths: readonly string[], methods: Methods<Name>])[]
  /** Everything that answers, by name. Loading all vendors takes longer than the rest of the start. */
  load(): Promise<Readonly<Record<Name, Endpoint>>>
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

type Methods<Name extends string> = Readonly<Partial<Record<Method, Name>>>

/** A manifest whose routes name what it loads. */
export function defineVendor<Name extends string>(vendor: Vendor<Name>): Vendor<Name> {
  return { ...vendor, load: once(vendor.load) }
}

/** The path and the same under `/v1`, since clients differ in their base URL. */
export function withV1(path: string): readonly string[] {
  return [path, `/v1${path}`]
}
