/** One result of `csp doctor`. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail'
  readonly check: string
  readonly message: string
  /** What to do about it; absent when the check passed. */
  readonly remedy?: string | undefined
  /** Whether it concerns the CLI or its login, which have an exit code of their own. */
  readonly concernsClaude?: boolean | undefined
}
