import type { ErrorBody, ErrorReply, Failure } from '../../exchange/failure.ts'
import { defineVendor } from '../../vendor.ts'

export const bocha = defineVendor({
  name: 'bocha',
  title: 'Bocha',
  base: '/bocha',
  formatError: bochaError,
  prefixes: ['/bocha', '/v1/web-search'],
  load: () => import('./search.ts'),
  routes: [[['/v1/web-search', '/bocha/v1/web-search'], { POST: 'bochaSearch' }]],
})

/** The code is a number in a reply and text in an error, as the vendor has it. */
function bochaError({ status, message }: Failure, { id }: ErrorReply): ErrorBody {
  return { status, body: { code: String(status), message, log_id: id } }
}
