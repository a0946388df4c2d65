/** A path of the table of routes as a client writes it. */
export function concretePath(path: string): string {
  return path.replace(':tool', 'csp').replace(':id{.+}', 'gemini-flash-latest:generateContent')
}
