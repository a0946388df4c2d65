import type { Fetcher } from '../../../src/executor/wire/fetcher.ts'
import type { EdgeEnvironment } from '../../../src/runtime/cloudflare/environment.ts'

export interface FakeBindings {
  /** What KV has. */
  readonly kept?: Map<string, string> | undefined
  /** Set: KV refuses every write with this message. */
  readonly refusal?: string | undefined
  readonly homes?: Fetcher['fetch'] | undefined
  readonly budget?: Fetcher['fetch'] | undefined
}

const noHome: Fetcher['fetch'] = async () =>
  Response.json({ type: 'error', code: 'unavailable', message: 'No home is connected.' }, { status: 503 })

/** The environment of a Worker outside of workerd: KV is a map, the objects answer as they are told. */
export function edgeEnvironment(
  variables: Readonly<Record<string, unknown>> = {},
  { kept = new Map(), refusal, homes = noHome, budget = noHome }: FakeBindings = {},
): EdgeEnvironment {
  const object = (fetch: Fetcher['fetch']) => ({ idFromName: (name: string) => name, get: () => ({ fetch }) })
  return {
    CACHE: {
      get: async (key) => kept.get(key) ?? null,
      async put(key, value) {
        if (refusal !== undefined) throw new Error(refusal)
        kept.set(key, value)
      },
      delete: async (key) => void kept.delete(key),
      list: async () => ({ keys: [...kept.keys()].map((name) => ({ name })), list_complete: true }),
    },
    HOMES: object(homes),
    BUDGET: object(budget),
    ...variables,
  }
}
