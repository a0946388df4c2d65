/** The code of an error of the system's, such as `ENOENT`; nothing for any other. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
