/** One result of `csp doctor`. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail'
  readonly check: string
  readonly message: string
  /** What to do about it; absent when the check passed. */
  readonly remedy?: string | undefined
  /** Whether it concerns the CLI or its login, which have an exit code of their own. */
  readonly concernsClaude?: boolean | undefined
  /** What `csp doctor --fix` does about it. */
  readonly mend?: Mend | undefined
}

/** A repair, offered before it is made. */
export interface Mend {
  /** What it does, in the imperative: "remove 2 entries". */
  readonly what: string
  /** Whether it talks with a person at the terminal. */
  readonly asks?: true | undefined
  /** Resolves to whether that helped. May throw; then it did not. */
  run(): Promise<boolean>
}

/** Makes the results of one check. */
export function resultsOf(check: string) {
  const result = (status: Finding['status']) => (message: string, remedy?: string, mend?: Mend) =>
    ({ status, check, message, remedy, mend }) satisfies Finding
  return { ok: result('ok'), warn: result('warn'), fail: result('fail') }
}
