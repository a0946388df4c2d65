import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'
import { fieldPath } from '../../exchange/refusal.ts'
import { defineVendor } from '../../vendor.ts'

const both = (path: string) => ['/parallel/v1', '/parallel/v1beta'].map((base) => base + path)

export const parallel = defineVendor({
  name: 'parallel',
  title: 'Parallel',
  base: '/parallel',
  formatError: parallelError,
  prefixes: ['/parallel'],
  load: () => import('./endpoints.ts'),
  routes: [
    [both('/search'), { POST: 'parallelSearch' }],
    [both('/tasks/runs'), { POST: 'createTask' }],
    [both('/tasks/runs/:id'), { GET: 'readTask' }],
    [both('/tasks/runs/:id/input'), { GET: 'readTaskInput' }],
    [both('/tasks/runs/:id/result'), { GET: 'awaitTask' }],
    [both('/tasks/runs/:id/events'), { GET: 'streamTask' }],
    [both('/extract'), { POST: 'parallelExtract' }],
  ],
})

/** Parallel answers 422 to a wrong field. */
function parallelError({ code, status, message, issues }: Failure, { id }: ErrorReply): ErrorBody {
  const fields = issues.filter(({ path }) => path.length > 0).map(({ path }) => fieldPath(path))
  const detail = fields.length > 0 ? { fields } : undefined
  return {
    status: code === 'invalid-request' ? 422 : status,
    body: { type: 'error', error: { ref_id: id, message, detail } },
  }
}
