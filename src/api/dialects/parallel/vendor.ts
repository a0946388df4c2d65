import { defineVendor } from '../../vendor.ts'
import { parallelError } from './error.ts'

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
