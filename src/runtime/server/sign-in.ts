import { messageOf } from '@csp/lib/errors'
import { cutAtWord, plainLine } from '@csp/lib/text'
import type { SignIn, SignInStep } from '../../api/endpoints/own-parts.ts'
import { childEnvironment, type Environment, ensureDirectory } from '../../executor/backends/claude/cli/launch.ts'
import { type LineProcess, type ProcessOptions, startProcess } from '../../executor/backends/claude/cli/process.ts'
import { csp } from '../shell/program.ts'
import { signInArguments } from './claude-cli.ts'

export interface ClaudeSignInOptions {
  /** The path of the CLI, if it is found. */
  readonly findBinary: () => string | undefined
  readonly environment: Environment
  /** The folder that the CLI runs in. */
  readonly directory: string
  /** Called once the CLI has signed in. */
  readonly onSignedIn: () => void
  /** How long a person may take, in ms; ten minutes by default. */
  readonly timeoutMs?: number | undefined
  /** How long the CLI may take to print its link, in ms; half a minute by default. */
  readonly linkMs?: number | undefined
}

/** An attempt in progress. */
interface Attempt {
  readonly id: string
  /** Once its CLI is gone. */
  readonly ended: Promise<void>
  enter(code: string): boolean
  fail(message: string): void
}

/**
 * Runs `claude auth login` over pipes; it does not need a terminal. csp shows the link that the CLI prints and passes the
 * code on. The token goes from Claude to the CLI, which keeps it; csp never sees it. A CLI starts once the one before it
 * has ended.
 */
export function claudeSignIn(options: ClaudeSignInOptions): SignIn {
  let running: Attempt | undefined
  return {
    begin(signal) {
      const left = new AbortController()
      return new ReadableStream<SignInStep>({
        start(controller) {
          const before = running
          before?.fail('Another page has begun to sign in.')
          const problem = problemOf(options)
          if (problem !== undefined) {
            controller.enqueue({ type: 'failed', message: problem })
            return controller.close()
          }
          const unlessLeft = (act: () => void) => {
            // A reader that has left can be told nothing.
            if (!left.signal.aborted) act()
          }
          const attempt = start(options, AbortSignal.any([signal, left.signal]), before?.ended, (step) =>
            unlessLeft(() => controller.enqueue(step)),
          )
          running = attempt
          void attempt.ended.then(() => {
            if (running === attempt) running = undefined
            unlessLeft(() => controller.close())
          })
        },
        cancel: () => left.abort(),
      })
    },
    async enter(id, code) {
      return running?.id === id && running.enter(code)
    },
  }
}

/** Why there is nothing to start. */
function problemOf({ findBinary, environment }: ClaudeSignInOptions): string | undefined {
  if (environment['CLAUDE_CODE_OAUTH_TOKEN']) {
    return `csp was started with CLAUDE_CODE_OAUTH_TOKEN, and the CLI uses that token before any login. Make another with ${csp} login --token on a machine with a terminal, and start csp with it, or without one.`
  }
  return findBinary() === undefined ? 'The Claude Code CLI is not installed.' : undefined
}

function start(
  options: ClaudeSignInOptions,
  signal: AbortSignal,
  before: Promise<void> | undefined,
  tell: (step: SignInStep) => void,
): Attempt {
  const { timeoutMs = 600_000, linkMs = 30_000, onSignedIn } = options
  const id = crypto.randomUUID()
  let failure: string | undefined
  let hasLink = false
  let child: LineProcess | undefined
  const run = async () => {
    await before
    if (failure !== undefined) return { code: null, stderr: '' }
    child = startLogin(options, {
      onLine(line) {
        const url = hasLink ? undefined : /https:\/\/[^\s"'<>]{1,8000}/.exec(line)?.[0]
        if (!url) return
        hasLink = true
        tell({ type: 'link', url })
      },
      onErrorText(text) {
        const said = shown(text)
        if (said && hasLink) tell({ type: 'note', text: said })
      },
    })
    return child.exited
  }
  const fail = (message: string) => {
    failure ??= message
    void child?.stop()
  }
  const leave = () => fail('Cancelled.')
  tell({ type: 'started', id })
  const linkTimer = setTimeout(() => {
    if (!hasLink) fail(`The CLI prints no link. Sign in where csp runs: ${csp} login`)
  }, linkMs)
  const timer = setTimeout(() => fail('Nobody has entered a code in time. Begin again.'), timeoutMs)
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  const ended = run()
    .catch((error: unknown) => ({ code: null, stderr: messageOf(error) }))
    .then(({ code, stderr }) => {
      clearTimeout(linkTimer)
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      if (code === 0) onSignedIn()
      const message =
        failure ??
        (shown(stderr.trimEnd().split('\n').at(-1) ?? '') ||
          `The CLI has ended without a login. Where csp runs: ${csp} login`)
      tell(code === 0 ? { type: 'done' } : { type: 'failed', message })
    })
  const enter = (code: string) => {
    if (!child?.running) return false
    child.write(code)
    return true
  }
  return { id, ended, enter, fail }
}

function startLogin(
  { findBinary, environment, directory }: ClaudeSignInOptions,
  listeners: Pick<ProcessOptions, 'onLine' | 'onErrorText'>,
): LineProcess {
  ensureDirectory(directory)
  return startProcess({
    command: [findBinary() ?? 'claude', ...signInArguments],
    // The link is for the person at the page, who may be far from a browser of this machine.
    environment: { ...childEnvironment({ environment, auth: 'subscription', effort: 'low' }), BROWSER: 'true' },
    directory,
    maxLineLength: 64 * 1024,
    ...listeners,
  })
}

/** The output of the CLI. The CLI prints no token; if it ever does, the line is replaced. */
function shown(text: string): string {
  const line = plainLine(text)
  return line.includes('sk-ant-') ? 'The CLI printed a secret, which is not shown.' : cutAtWord(line, 400)
}
