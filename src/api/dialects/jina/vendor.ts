import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { defineVendor, withV1 } from '../../vendor.ts'

export const jina = defineVendor({
  name: 'jina',
  title: 'Jina Reader and Search',
  base: '/jina',
  formatError: jinaError,
  prefixes: [...withV1('/jina'), ...withV1('/r')],
  load: async () => ({ ...(await import('./search.ts')), ...(await import('./reader.ts')) }),
  routes: [
    [withV1('/jina'), { GET: 'jinaSearch', POST: 'jinaSearch' }],
    [withV1('/r'), { POST: 'jinaReader' }],
    // The address stands in the path as it is.
    [withV1('/r/:url{.+}'), { GET: 'jinaReader', POST: 'jinaReader' }],
  ],
})

function jinaError({ status, code, message }: Failure): ErrorBody {
  const name = `${code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
  const readableMessage = `${name}: ${message}`
  return { status, body: { data: null, code: status, status: status * 100, name, message, readableMessage } }
}
