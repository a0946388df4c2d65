import type { ErrorBody, ErrorReply, Failure } from '../../http/failure.ts'
import { speak } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'

const search = speak(async () => (await import('./search.ts')).bochaSearch)

export const bocha: Vendor = {
  name: 'bocha',
  title: 'Bocha',
  base: '/bocha',
  formatError: bochaError,
  prefixes: ['/bocha', '/v1/web-search'],
  routes: ['/v1/web-search', '/bocha/v1/web-search'].map((path) => ({ path, methods: { POST: search } })),
}

/** The code is a number in a reply and text in an error, as the vendor has it. */
function bochaError({ status, message }: Failure, { id }: ErrorReply): ErrorBody {
  return { status, body: { code: String(status), message, log_id: id } }
}
