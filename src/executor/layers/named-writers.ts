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

/** Says in the health who of them writes. */
export function sayingWho(writers: readonly Executor[], inner: Executor): Executor {
  const names = new Set(writers.map(({ name }) => name))
  return layer(inner, {
    search: (request, context) => inner.search(request, context),
    async health() {
      const found = await inner.health()
      return { ...found, backends: found.backends.map((one) => (names.has(one.name) ? { ...one, writes: true } : one)) }
    },
  })
}
