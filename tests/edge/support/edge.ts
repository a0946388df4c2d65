import { join } from 'node:path'
import { Miniflare, Response as WorkerdResponse } from 'miniflare'
import { workerModules } from '../../support/worker-modules.ts'

/** csp's own Worker in workerd, with all that wrangler.toml binds. */
export interface Edge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** How many answers are in KV. */
  cacheSize(): Promise<number>
  /** Settles when there are so many: they are written behind the replies. */
  untilCached(count: number): Promise<void>
  /** Makes all of it so much older. A Worker that runs may remember it younger for a minute. */
  age(seconds: number): Promise<void>
  stop(): Promise<void>
}

export interface EdgeOptions {
  /** Variables and secrets, by their names. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly port?: number | undefined
  /** Where requests to a host of the world go instead: `{'api.example.org': 'http://127.0.0.1:1'}`. */
  readonly stands?: Readonly<Record<string, string>> | undefined
  /** Where KV and the objects keep what they have. Absent: it ends with them. */
  readonly persist?: string | undefined
  /** The Durable Object that throws at every request, as one does that is overloaded or beyond the plan. */
  readonly broken?: 'HOMES' | 'BUDGET' | undefined
}

const brokenObject = 'export class BrokenObject { fetch() { throw new Error("Exceeded allowed duration.") } }'

export const clientKey = 'csp_of-a-client-0123456789abcdef'
export const connectSecret = 'what-homes-and-edge-both-know'

const modules = workerModules(join(import.meta.dir, '../../../src/runtime/worker.ts'), { appended: brokenObject })

/** Starts the Worker as wrangler.toml has it, with a key for clients and a secret for homes. */
export async function startEdge({ port = 0, stands, persist, ...options }: EdgeOptions = {}): Promise<Edge> {
  const folders = persist !== undefined && {
    kvPersist: join(persist, 'kv'),
    durableObjectsPersist: join(persist, 'objects'),
  }
  const outboundService = stands && ((request: Request) => sendTo(stands, request))
  const worker = { ...(await workerOf('edge', options)), ...(outboundService && { outboundService }) }
  const miniflare = new Miniflare({ ...worker, ...place, port, ...folders })
  return edgeOf(miniflare, 'edge', await miniflare.ready)
}

/**
 * Starts several Workers in one workerd, at a fraction of what a workerd for each takes: every one has its own address,
 * settings, cache and objects. They stop together. Requests come to them as they are, without the client's address.
 */
export async function startEdges<const Each extends readonly Pick<EdgeOptions, 'variables' | 'broken'>[]>(
  ...each: Each
): Promise<{ [Index in keyof Each]: Edge }> {
  const names = each.map((_, index) => `edge-${index}`)
  const unsafeDirectSockets = [{ host: place.host, port: 0 }]
  const workers = await Promise.all(each.map((options, index) => workerOf(names[index] ?? '', options)))
  const miniflare = new Miniflare({
    ...place,
    port: 0,
    workers: workers.map((worker) => ({ ...worker, unsafeDirectSockets })),
  })
  const edges = names.map(async (name) => edgeOf(miniflare, name, await miniflare.unsafeGetDirectURL(name)))
  // As many as there are options.
  return (await Promise.all(edges)) as unknown as { [Index in keyof Each]: Edge }
}

const place = { host: '127.0.0.1', cf: false } as const

async function workerOf(name: string, { variables = {}, broken }: Pick<EdgeOptions, 'variables' | 'broken'>) {
  const configuration = await wranglerToml()
  const classes = configuration.durable_objects.bindings.map(({ name: binding, class_name: own }) => {
    const className = broken === binding ? 'BrokenObject' : own
    return [binding, { className, useSQLite: true }] as const
  })
  return {
    name,
    modules: await modules,
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: configuration.compatibility_flags,
    kvNamespaces: Object.fromEntries(
      configuration.kv_namespaces.map(({ binding }) => [binding, `${name}-${binding}`] as const),
    ),
    durableObjects: Object.fromEntries(classes),
    bindings: {
      CSP_API_KEYS: clientKey,
      CSP_CONNECT_SECRET: connectSecret,
      CSP_LOG_LEVEL: 'silent',
      ...variables,
    },
  }
}

function edgeOf(miniflare: Miniflare, name: string, { origin, port }: URL): Edge {
  // Its types are those of a package that is not among the dependencies.
  const namespace = async () => (await miniflare.getKVNamespace('CACHE', name)) as unknown as Namespace
  const cacheSize = async () => (await (await namespace()).list()).keys.length
  const stop = () => miniflare.dispose()
  return {
    url: origin,
    port: Number(port),
    cacheSize,
    async untilCached(count) {
      while ((await cacheSize()) < count) await Bun.sleep(5)
    },
    async age(seconds) {
      const cache = await namespace()
      const { keys } = await cache.list()
      for (const { name: key } of keys) {
        const entry = JSON.parse((await cache.get(key)) ?? '')
        entry.body.mtime -= seconds * 1000
        await cache.put(key, JSON.stringify(entry))
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function sendTo(stands: Readonly<Record<string, string>>, request: Request): Promise<WorkerdResponse> {
  const { origin, host, pathname, search } = new URL(request.url)
  const { status, headers, body } = await fetch(`${stands[host] ?? origin}${pathname}${search}`, {
    method: request.method,
    headers: [...request.headers],
    body: request.method === 'GET' ? null : await request.text(),
  })
  return new WorkerdResponse(body, { status, headers: [...headers] })
}

interface Namespace {
  get(key: string): Promise<string | null>
  put(key: string, value: string): Promise<void>
  list(): Promise<{ readonly keys: readonly { readonly name: string }[] }>
}

interface WranglerToml {
  readonly compatibility_date: string
  readonly compatibility_flags: string[]
  readonly kv_namespaces: { readonly binding: string; readonly id: string }[]
  readonly durable_objects: { readonly bindings: { readonly name: string; readonly class_name: string }[] }
}

/** The configuration that is deployed. */
export async function wranglerToml(): Promise<WranglerToml> {
  const text = await Bun.file(join(import.meta.dir, '../../../wrangler.toml')).text()
  // The trust boundary: it is our own file, and the trial build in deploy.test.ts has wrangler check it.
  return Bun.TOML.parse(text) as WranglerToml
}

/** The headers of a client that may come in. */
export const withKey = { authorization: `Bearer ${clientKey}` }
