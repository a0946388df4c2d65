import type { SearchRequest } from '../../domain/search.ts'

/** The header that names the backend. A request may name one: memory. */
const backendHeader = 'x-csp-backend'

/** A request that is answered from memory alone, if the header asks for it. */
export function withMemoryWish(request: SearchRequest, headers: Headers): SearchRequest {
  return wishOf(headers) === 'memory'
    ? { ...request, memory: typeof request.memory === 'object' ? request.memory : {} }
    : request
}

/** The header, where it names another backend: csp chooses among those by itself. */
export function unreadBackend(headers: Headers): readonly string[] {
  return ['', 'memory'].includes(wishOf(headers)) ? [] : [backendHeader]
}

function wishOf(headers: Headers): string {
  return headers.get(backendHeader)?.trim().toLowerCase() ?? ''
}
