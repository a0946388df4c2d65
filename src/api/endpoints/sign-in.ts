import { TokenBucket } from '@csp/lib/rate-limiter'
import { parseUrl } from '@csp/lib/url'
import { z } from 'zod'
import { accountOf } from '../../domain/account.ts'
import { SearchError } from '../../domain/error.ts'
import type { Executor } from '../../executor/executor.ts'
import type { Frame } from '../dialect.ts'
import { Refusal, refused } from '../exchange/refusal.ts'
import { failureOf } from '../http/failure-of.ts'
import { validate } from '../http/validate.ts'
import { jsonFrame } from '../serve/sse.ts'
import { streamReply } from '../serve/stream-reply.ts'
import { needsLogin } from './health-rows.ts'
import type { OwnEndpoint } from './own-endpoint.ts'
import type { SignInStep } from './own-parts.ts'

/**
 * Has the CLI sign in, for the page: a stream of steps, which ends with the login. A client that goes away ends it. Only
 * while Claude is signed out, so that nobody can exchange an account that works.
 */
export const beginSignIn: OwnEndpoint = {
  method: 'POST',
  reference: {
    summary: 'Has the Claude Code CLI sign in, for the page: its link, and whether the login succeeded',
    reply: 'text/event-stream',
    status: { 403: 'Claude is signed in already, or another site asks.' },
  },
  isHere: ({ signIn }) => signIn !== undefined,
  mount(app, paths, { executor, signIn, heartbeatMs }) {
    if (!signIn) return
    const takeTurn = signInPace()
    app.on('POST', paths, async (context) => {
      const { raw } = context.req
      refuseForeignPage(raw.headers)
      if (!(await isSignedOut(executor))) {
        throw new Refusal('forbidden', 'Claude is signed in already. To change the account, sign out first.')
      }
      const exchange = context.get('exchange')
      takeTurn(accountOf(exchange.caller))
      const work = new AbortController()
      return streamReply(context, {
        frames: framesOf(signIn.begin(AbortSignal.any([raw.signal, work.signal])), executor),
        heartbeatMs,
        onError(error) {
          const { code, message } = failureOf(error)
          exchange.failed(code, error)
          return [jsonFrame({ type: 'failed', message })]
        },
        stop: () => work.abort(),
      })
    })
  },
}

/** How often one account may begin: each attempt starts a CLI, and ends the attempt of another. */
function signInPace(): (account: string) => void {
  const accounts = new Map<string, TokenBucket>()
  return (account) => {
    const starts = accounts.get(account) ?? new TokenBucket(1 / 20, 5, () => performance.now())
    accounts.set(account, starts)
    const waitMs = starts.waitMs()
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      throw new SearchError('rate-limited', 'Sign-in was begun too often.', { retryAfterSeconds })
    }
    starts.take()
  }
}

const schema = z.object({ id: z.string(), code: z.string() })

/** Hands the code that a person got to the login in progress. It is kept nowhere. */
export const enterCode: OwnEndpoint = {
  method: 'POST',
  reference: {
    summary: 'Hands the code of that link to the CLI: `id` and `code`, as JSON',
    reply: 'application/json',
    status: { 204: 'The CLI has it.', 404: 'This sign-in is not in progress any more.' },
  },
  isHere: ({ signIn }) => signIn !== undefined,
  mount(app, paths, { signIn }) {
    app.on('POST', paths, async (context) => {
      refuseForeignPage(context.req.raw.headers)
      const { id, code } = validate(schema, await context.get('exchange').sent.input(maxBodyBytes))
      if (!/^[\x21-\x7e]{1,4096}$/.test(code.trim())) {
        throw refused(['code'], 'The code is one word, as the page of Claude shows it')
      }
      if (!(await signIn?.enter(id, code.trim()))) {
        throw new Refusal('not-found', 'This sign-in is not in progress any more. Begin again.')
      }
      return context.body(null, 204)
    })
  },
}

const maxBodyBytes = 16 * 1024

/** Pages that the operator lets search may not sign in. */
function refuseForeignPage(headers: Headers): void {
  const origin = headers.get('origin')
  const isOwn = origin === null || parseUrl(origin)?.host === headers.get('host')?.toLowerCase()
  if (!isOwn) throw new Refusal('forbidden', 'Only the page of csp itself can sign in.')
}

async function isSignedOut(executor: Pick<Executor, 'health'>): Promise<boolean> {
  const { backends } = await executor.health()
  return backends.some(needsLogin)
}

/** The CLI says that it is done; whether it can search is what it says when it is asked again. */
async function* framesOf(
  steps: AsyncIterable<SignInStep>,
  executor: Pick<Executor, 'health'>,
): AsyncGenerator<Frame, void, undefined> {
  for await (const step of steps) {
    const isVain = step.type === 'done' && (await isSignedOut(executor))
    yield jsonFrame(isVain ? { type: 'failed', message: stillOut } : step)
  }
}

const stillOut = 'The CLI has ended its login, and still says that it is signed out. csp doctor says more.'
