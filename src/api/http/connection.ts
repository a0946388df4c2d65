/** The connection that a request came on, where the runtime cuts those that are silent for long. */
export interface Connection {
  /** Whether csp has room for a request of this caller: it has almost as many files open as it may otherwise. */
  admit(caller: string): boolean
  /** The request is whole, and its answer may take as long as a search takes. */
  keepOpen(): void
  /** The answer is there: silence is silence again. */
  release(): void
}
