import { SearchError } from '../../src/domain/error.ts'

/** The `SearchError` that the work throws; it fails when it throws nothing, or something else. */
export async function failureOf(work: Promise<unknown>): Promise<SearchError> {
  try {
    await work
  } catch (error) {
    if (error instanceof SearchError) return error
    throw new Error('Something other than a SearchError was thrown.', { cause: error })
  }
  throw new Error('Nothing was thrown.')
}
