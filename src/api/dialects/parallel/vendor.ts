import type { ErrorBody, ErrorReply, Failure } from '../../dialect.ts'
import { fieldPath } from '../../http/refusal.ts'
import { speak, speakPages, type Vendor } from '../../vendor.ts'

const search = speak(async () => (await import('./search.ts')).parallelSearch)
const extract = speakPages(async () => (await import('./extract.ts')).parallelExtract)

export const parallel: Vendor = {
  name: 'parallel',
  title: 'Parallel',
  base: '/parallel',
  formatError: parallelError,
  prefixes: ['/parallel'],
  routes: ['/parallel/v1/search', '/parallel/v1beta/search'].map((path) => ({ path, methods: { POST: search } })),
  pageRoutes: ['/parallel/v1/extract', '/parallel/v1beta/extract'].map((path) => ({
    path,
    methods: { POST: extract },
  })),
}

/** Parallel answers 422 to a wrong field. */
function parallelError({ code, status, message, issues }: Failure, { id }: ErrorReply): ErrorBody {
  const fields = issues.filter(({ path }) => path.length > 0).map(({ path }) => fieldPath(path))
  const detail = fields.length > 0 ? { fields } : undefined
  return {
    status: code === 'invalid-request' ? 422 : status,
    body: { type: 'error', error: { ref_id: id, message, detail } },
  }
}
