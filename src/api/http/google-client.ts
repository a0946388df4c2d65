/** Whether a request comes from a client of Google's, also to a path that is not Google's alone, such as `/v1/models`. */
export function hasGoogleHeaders(headers: Headers): boolean {
  return headers.has('x-goog-api-key') || headers.has('x-goog-api-client')
}
