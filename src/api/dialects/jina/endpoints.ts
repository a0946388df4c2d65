import { Refusal } from '../../exchange/refusal.ts'
import type { HandlerEndpoint } from '../../serve/endpoint.ts'
import { searchReference } from '../../serve/reference.ts'
import { serve } from '../../serve/serve-search.ts'
import { jinaSearch } from './search.ts'

export { jinaReader } from './reader.ts'
export { jinaSearch } from './search.ts'

/** The query stands in the path, as at `s.jina.ai`. */
export const jinaSearchInPath: HandlerEndpoint = {
  kind: 'own',
  create(options) {
    const handler = serve(jinaSearch, options)
    return (context, next) => {
      const q = context.req.param('q') ?? ''
      // A wrong address of the reader is no query.
      if (q.startsWith('r/')) throw new Refusal('not-found', 'The reader is at /r/ADDRESS, without /jina before it.')
      context.get('exchange').sent.change((sent) => ({ ...sent, q }))
      return handler(context, next)
    }
  },
  references: () => [{ ...searchReference(jinaSearch), path: { q: 'What to search for' } }],
}
