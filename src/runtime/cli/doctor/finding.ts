/** What `csp doctor` found out about one thing. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail'
  readonly check: string
  readonly message: string
  /** What to do about it; absent when all is well. */
  readonly remedy?: string | undefined
  /** Whether it concerns the CLI or its login, which have an exit code of their own. */
  readonly concernsClaude?: boolean | undefined
}
