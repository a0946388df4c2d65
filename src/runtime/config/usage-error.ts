/** The caller asked for something that cannot be: a wrong flag, value or file. The command ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
