/**
 * Which Claude Code CLI is used, with which models, and who pays.
 * @example const options: ClaudeOptions = { model: 'opus', idleSeconds: 60, onWarning: (message) => console.warn(message) }
 */
export interface ClaudeOptions {
  /** Path of the Claude Code CLI; by default it is looked for on PATH and where installers put it. */
  readonly binary?: string | undefined
  /** Writes where a request names none; `sonnet` by default. */
  readonly model?: string | undefined
  /** For lists of results, and for the search before a written answer; `haiku` by default. */
  readonly searchModel?: string | undefined
  /**
   * How answers are made: in one call of the model that searches within it, or by a list and a text over its pages. By
   * default, `auto`, by what each costs.
   */
  readonly answers?: 'auto' | 'search' | 'pages' | undefined
  /** Who pays: the signed-in subscription, which is the default, or the API key of the environment. */
  readonly auth?: 'subscription' | 'api-key' | undefined
  /** What the environment of the CLI is selected from; by default that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** A process without work is stopped after so many seconds; 300 by default. 0: never. */
  readonly idleSeconds?: number | undefined
  /** Called with what a person should know, such as a usage limit that is near. By default nothing is said. */
  readonly onWarning?: ((message: string) => void) | undefined
}
