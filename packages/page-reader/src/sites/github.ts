/** The match of a pattern in the path of an address at GitHub; empty for any other address. */
export function onGithub({ hostname, pathname }: URL, pattern: RegExp): readonly (string | undefined)[] {
  return /^(?:www\.)?github\.com$/.test(hostname) ? (pattern.exec(pathname) ?? []) : []
}
