/** A path of the table of routes as a client writes it. */
export function concretePath(path: string): string {
  return path
    .replace(':tool', 'csp')
    .replace(':id{.+}', 'gemini-flash-latest:generateContent')
    .replace(':model{.+}', 'claude-sonnet-4-5:rawPredict')
    .replace(':model', 'sonar-pro')
    .replace(':version{v1(?:beta1)?}', 'v1beta1')
    .replace(':project', 'p')
    .replace(':location', 'global')
    .replace(':q{.+}', 'seals')
}
