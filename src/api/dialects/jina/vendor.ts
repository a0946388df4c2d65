import type { ErrorBody, Failure } from '../../http/failure.ts'
import { speak, speakPages } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'

const reader = speakPages(async () => (await import('./reader.ts')).jinaReader)
const search = speak(async () => (await import('./search.ts')).jinaSearch)

export const jina: Vendor = {
  name: 'jina',
  title: 'Jina Reader and Search',
  base: '/jina',
  formatError: jinaError,
  prefixes: [...withV1('/jina'), ...withV1('/r')],
  routes: routesWithV1('/jina', { GET: search, POST: search }),
  pageRoutes: [
    ...routesWithV1('/r', { POST: reader }),
    // The address stands in the path as it is.
    ...routesWithV1('/r/:url{.+}', { GET: reader, POST: reader }),
  ],
}

function jinaError({ status, code, message }: Failure): ErrorBody {
  const name = `${code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
  const readableMessage = `${name}: ${message}`
  return { status, body: { data: null, code: status, status: status * 100, name, message, readableMessage } }
}
