import { UpstreamError } from '@csp/messages-api/upstream-error'

/** The error of an upstream with which a promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
  throw new Error('It did not fail.')
}
