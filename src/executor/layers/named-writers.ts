import type { Executor } from '../executor.ts'
import { layer } from './layer.ts'

/** The writers that are no backends, to be asked behind these: they make texts without a search where no backend can. */
export function writersOfTexts(writers: readonly Executor[], backends: readonly Executor[]): readonly Executor[] {
  return writers
    .filter((writer) => !backends.includes(writer))
    .map((writer) =>
      layer(writer, {
        search: (request, context) => writer.search(request, context),
        supports: (request) => request.want === 'text' && (writer.supports?.(request) ?? true),
        // Nothing can be searched with it.
        health: async () => ({ ...(await writer.health()), ready: false }),
      }),
    )
}

/** By the name of the backends, and with a health that says who writes. */
export function sayingWho(writers: readonly Executor[], backends: readonly Executor[], inner: Executor): Executor {
  const names = new Set(writers.map(({ name }) => name))
  const named = { ...inner, name: backends.map(({ name }) => name).join(', ') }
  return layer(named, {
    search: (request, context) => inner.search(request, context),
    async health() {
      const found = await inner.health()
      return { ...found, backends: found.backends.map((one) => (names.has(one.name) ? { ...one, writes: true } : one)) }
    },
  })
}
