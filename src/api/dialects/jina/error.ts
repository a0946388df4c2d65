import type { ErrorBody, Failure } from '../../exchange/failure.ts'

export function jinaError({ status, code, page, message }: Failure): ErrorBody {
  const name = `${(page ?? code).replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
  const readableMessage = `${name}: ${message}`
  return { status, body: { data: null, code: status, status: status * 100, name, message, readableMessage } }
}
