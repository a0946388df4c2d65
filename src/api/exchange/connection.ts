/** The connection that a request came on, where the runtime cuts those that are silent for long. */
export interface Connection {
  /** Whether there is room for a request of this caller: otherwise csp has almost as many files open as it may. */
  admit?(caller: string): boolean
  /** The request is whole, and its answer may take as long as a search takes. */
  keepOpen(): void
  /** The answer is there: silence is silence again. */
  release(): void
}
