/** What an expression finds in the path of an address at GitHub; nothing in any other address. */
export function onGithub({ hostname, pathname }: URL, pattern: RegExp): readonly (string | undefined)[] {
  return /^(?:www\.)?github\.com$/.test(hostname) ? (pattern.exec(pathname) ?? []) : []
}
