/** A fresh key of 256 random bits, with a beginning by which scanners for secrets may know it. */
export function newKey(): string {
  return `csp_${crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })}`
}
