/** The oldest CLI that csp works with: `/clear` of an older one leaves the session's history to the next caller. */
export const leastVersion = '2.1.129'

/** From this one on the CLI says when it has cleared a session. */
const firstWithProof = '2.1.221'

/** The version in what the CLI says of itself, without what an unreleased one adds. */
export function versionIn(text: string): string | undefined {
  return /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(text)?.[0]
}

/** Why a CLI of this version cannot be used, if it cannot. */
export function tooOld(version: string): string | undefined {
  if (!isOlder(version, leastVersion)) return undefined
  return `This Claude Code CLI (${version}) is too old: below ${leastVersion}, one caller's question may reach the next. ${update}`
}

/** Whether a CLI says when it has cleared a session. One that does not tell its version has to. */
export function provesClearing(version: string | undefined): boolean {
  return version === undefined || !isOlder(version, firstWithProof)
}

/** What to do about a CLI that cannot be used. */
export const update =
  'Update it with `npm install -g @anthropic-ai/claude-code@latest`, or name another one with CSP_CLAUDE_BIN.'

const { compare } = new Intl.Collator('en', { numeric: true })

function isOlder(version: string, than: string): boolean {
  return compare(version, than) < 0
}
