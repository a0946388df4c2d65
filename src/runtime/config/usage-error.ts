import { nearest } from '@csp/lib/nearest'

/** A wrong flag, value or file. The command ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a command was to do did not work, for a reason that the message says. The command ends with exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** Somebody pressed Ctrl-C in a program that the command had started. The command ends with exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** What was probably meant by a mistyped name; `otherwise` where no known one is close. */
export function meant(name: string, known: readonly string[], otherwise: string): string {
  const close = nearest(name, known)
  return close ? `Did you mean ${close}?` : otherwise
}
