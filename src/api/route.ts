import type { Endpoint } from './serve/endpoint.ts'
import type { Method, Vendor } from './vendor.ts'

/** One path of a manifest, and what answers each method. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, Answering>>>
  /** As that of the vendor. */
  readonly only?: RegExp | undefined
}

/** What answers at a route. */
export interface Answering {
  readonly vendor: Vendor
  readonly name: string
  load(): Promise<Endpoint>
}

/** One of those that a vendor loads. */
export function answeringBy(vendor: Vendor, name: string): Answering {
  return {
    vendor,
    name,
    async load() {
      const endpoint = (await vendor.load())[name]
      if (!endpoint) throw new Error(`${vendor.name} has no ${name}.`)
      return endpoint
    },
  }
}

/** Every path of the vendor. */
export function routesOf(vendor: Vendor): readonly Route[] {
  return vendor.routes.flatMap(([paths, names]) => {
    const methods = Object.entries(names).map(([method, name]) => [method, answeringBy(vendor, name)] as const)
    return paths.map((path) => ({ path, methods: Object.fromEntries(methods), only: vendor.only }))
  })
}
