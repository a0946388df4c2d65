/** The name that Google's APIs have for an HTTP status. */
export function rpcStatus(status: number): string {
  return names.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
}

const names = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])
