import { describe, expect, jest, spyOn, test } from 'bun:test'
import type { ClientTools } from '../../../../../src/executor/answer/client-tools.ts'
import type { Exit, LineProcess } from '../../../../../src/executor/backends/claude/cli/process.ts'
import type { TurnSettings } from '../../../../../src/executor/backends/claude/worker/controls.ts'
import { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'
import { failureOf } from '../../../../support/failure-of.ts'

// A worker whose CLI is the test's: what it says, and when.

interface Heard {
  readonly type: string
  readonly request_id?: string
  readonly request?: { readonly subtype: string; readonly [field: string]: unknown }
  readonly message?: { readonly content: readonly { readonly text: string }[] }
}

const version = '2.1.300'
const init = (tools: readonly string[] = ['WebSearch']) =>
  ({ type: 'system', subtype: 'init', tools, claude_code_version: version }) as const
const delta = (text: string) =>
  ({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } } }) as const
const result = (text = 'Done.') => ({ type: 'result', result: text }) as const
const cleared = [{ type: 'conversation_reset' }, init(), result('')]

interface CliOptions {
  readonly systemPrompt?: string
  /** What it answers a `/clear`. */
  readonly clears?: readonly object[]
  /** The subtypes of requests that it refuses, or says nothing to. */
  readonly refuses?: string
  readonly ignores?: string
  readonly settings?: TurnSettings
}

function createWorker({ systemPrompt, clears = cleared, refuses, ignores, settings }: CliOptions = {}) {
  const heard: string[] = []
  const ended = Promise.withResolvers<Exit>()
  const cli = { running: true, clears, say: (..._: readonly object[]): void => {} }
  const end = (exit: Partial<Exit>) => {
    cli.running = false
    ended.resolve({ code: null, signal: null, stderr: '', ...exit })
    return ended.promise
  }
  const take = ({ type, request_id, request, message }: Heard): void => {
    if (type === 'user') {
      const text = message?.content[0]?.text ?? ''
      heard.push(text)
      if (text === '/clear') cli.say(...cli.clears)
    } else if (request) {
      heard.push(request.subtype)
      const response = {
        request_id,
        ...(refuses === request.subtype ? { subtype: 'error', error: 'No.' } : { subtype: 'success' }),
      }
      if (ignores !== request.subtype) cli.say({ type: 'control_response', response })
    } else heard.push(type)
  }
  const worker = new Worker({
    ...{
      command: ['claude'],
      environment: {},
      directory: '/',
      tools: ['WebSearch'],
      model: 'sonnet',
      systemPrompt,
      settings,
    },
    start: ({ onLine }) => {
      // As a process does, it speaks later than it is spoken to.
      cli.say = (...lines) => queueMicrotask(() => lines.forEach((line) => void onLine(JSON.stringify(line))))
      const process: LineProcess = {
        pid: 1,
        write: (line) => void (cli.running && take(JSON.parse(line))),
        closeInput() {},
        exited: ended.promise,
        get running() {
          return cli.running
        },
        stop: () => end({ signal: 'SIGTERM', reason: 'stopped' }),
      }
      return process
    },
  })
  return { worker, heard, cli, end, ended: ended.promise }
}

const never = new AbortController().signal

/** A turn that is under way, with what it has yielded. */
function turn(
  worker: Worker,
  {
    prompt = 'bees',
    model = 'sonnet',
    tools,
    settings,
    signal = never,
  }: Partial<{
    prompt: string
    model: string
    tools: ClientTools
    settings: TurnSettings
    signal: AbortSignal
  }> = {},
) {
  const texts: string[] = []
  const read = async () => {
    for await (const event of worker.turn(prompt, { model, tools, settings, signal }))
      texts.push(event.type === 'text-delta' ? event.text : event.type)
    return texts
  }
  const ended = read()
  ended.catch(() => {})
  return { texts, ended }
}

/** Lets everything happen that waits for nothing but its turn. */
const turns = () => new Promise<void>((resolve) => setImmediate(resolve))

const toolsNamed = (name: string) =>
  ({ names: [name], listed: Promise.resolve(), answer: () => undefined }) as unknown as ClientTools

describe('a worker', () => {
  test('is ready once its CLI has listed its tools in a cleared session, for which it got its system prompt', async () => {
    const { worker, heard } = createWorker({ systemPrompt: 'Be brief.' })
    await worker.ready
    expect(heard.slice(0, 2)).toEqual(['initialize', '/clear'])
    expect([worker.offered, worker.served, worker.alive, worker.model]).toEqual([['WebSearch'], 0, true, 'sonnet'])
    const bare = createWorker()
    await bare.worker.ready
    expect(bare.heard[0]).toBe('/clear')
  })

  test('yields a turn up to its result, and nothing that is left over from the turn before', async () => {
    const { worker, cli } = createWorker()
    const { texts, ended } = turn(worker)
    await turns()
    cli.say(delta('left over'), result(), init(), delta('Bees hum.'), result(), delta('too late'))
    expect(await ended).toEqual(['init', 'Bees hum.', 'result'])
    expect([texts.length, worker.served]).toEqual([3, 1])
  })

  test('answers its CLI, and passes over what it does not know, beside the turn', async () => {
    const { worker, heard, cli } = createWorker()
    const { ended } = turn(worker)
    await turns()
    const asks = { type: 'control_request', request_id: 'r1', request: { subtype: 'mcp_message', message: {} } }
    cli.say({ type: 'new' }, init(), asks, { type: 'new' }, delta('Bees hum.'), result())
    expect(await ended).toEqual(['init', 'Bees hum.', 'result'])
    expect(heard.slice(-2)).toEqual(['bees', 'control_response'])
  })

  test('has its model changed where a turn wants another', async () => {
    const { worker, heard, cli } = createWorker()
    for (const model of ['sonnet', 'opus', 'opus']) {
      const { ended } = turn(worker, { model })
      await turns()
      cli.say(init(), result())
      await ended
      expect(worker.model).toBe(model)
    }
    expect(heard.filter((each) => each === 'set_model')).toHaveLength(1)
  })

  test('keeps its model and serves nothing where the CLI refuses another', async () => {
    const { worker, heard } = createWorker({ refuses: 'set_model' })
    expect(await failureOf(turn(worker, { model: 'opus' }).ended)).toMatchObject({ code: 'failed' })
    expect([worker.model, worker.served, heard.includes('bees')]).toEqual(['sonnet', 0, false])
  })

  test('clears what has seen tools before it serves a turn with others, and not before one with the same', async () => {
    const { worker, heard, cli } = createWorker()
    await worker.ready
    await turns()
    const [a, b] = [toolsNamed('a'), toolsNamed('b')]
    const said: string[][] = []
    for (const tools of [a, a, b, undefined, undefined]) {
      heard.splice(0)
      const { ended } = turn(worker, tools ? { tools } : {})
      await turns()
      cli.say(init(['WebSearch', ...(tools?.names ?? [])]), result())
      await ended
      said.push([...heard])
    }
    const [connect, clear] = [['mcp_set_servers'], ['mcp_set_servers', '/clear']]
    expect(said).toEqual([[...connect, 'bees'], ['bees'], [...clear, ...connect, 'bees'], [...clear, 'bees'], ['bees']])
  })

  test('is cleared after a turn and only then, and the next turn waits for it', async () => {
    const { worker, heard, cli } = createWorker()
    await worker.ready
    worker.reset()
    const first = turn(worker)
    await turns()
    cli.say(init(), result())
    await first.ended
    expect(heard.filter((each) => each === '/clear')).toHaveLength(1)
    cli.clears = []
    worker.reset()
    const second = turn(worker, { prompt: 'wasps' })
    await turns()
    expect(heard.slice(-1)).toEqual(['/clear'])
    cli.say(...cleared)
    await turns()
    expect(heard).toContain('wasps')
    cli.say(init(), result())
    await second.ended
    worker.reset()
    worker.reset()
    await turns()
    expect(heard.filter((each) => each === '/clear')).toHaveLength(3)
  })

  test('answers no question before it is ready', async () => {
    const { worker, heard, cli } = createWorker({ clears: [] })
    const asked = worker.ask({ subtype: 'list_models' }, never)
    await turns()
    expect(heard).toEqual(['/clear'])
    cli.say(...cleared)
    await asked
    expect(heard).toContain('list_models')
  })

  test('answers a question beside its turns', async () => {
    const { worker, heard } = createWorker()
    await worker.ask({ subtype: 'list_models' }, never)
    expect(heard).toContain('list_models')
    const refusing = createWorker({ refuses: 'list_models' })
    expect(await failureOf(refusing.worker.ask({ subtype: 'list_models' }, never))).toMatchObject({ code: 'failed' })
  })
})

describe('a turn that is aborted', () => {
  test('is interrupted, and has ended when the CLI says so; the next one is served', async () => {
    const { worker, heard, cli } = createWorker()
    const leaving = new AbortController()
    const { texts, ended } = turn(worker, { signal: leaving.signal })
    await turns()
    cli.say(init(), delta('Bees'))
    await turns()
    let isOver = false
    const over = ended
      .catch(() => {})
      .then(() => {
        isOver = true
      })
    leaving.abort()
    await turns()
    expect([heard.slice(-1), isOver]).toEqual([['interrupt'], false])
    cli.say(delta('that nobody reads'), result('Interrupted.'))
    await over
    expect(texts).toEqual(['init', 'Bees'])
    const next = turn(worker, { prompt: 'wasps' })
    await turns()
    cli.say(init(), result())
    expect(await next.ended).toEqual(['init', 'result'])
    expect(worker.alive).toBe(true)
  })

  test('before the CLI says anything is interrupted, and once more when it begins all the same', async () => {
    const { worker, heard, cli } = createWorker()
    const leaving = new AbortController()
    const { texts, ended } = turn(worker, { signal: leaving.signal })
    await turns()
    leaving.abort()
    await turns()
    expect(heard.slice(-2)).toEqual(['bees', 'interrupt'])
    cli.say(init())
    await turns()
    expect(heard.slice(-3)).toEqual(['bees', 'interrupt', 'interrupt'])
    const next = turn(worker, { prompt: 'wasps' })
    cli.say(result())
    await ended.catch(() => {})
    await turns()
    cli.say(init(), result())
    expect([texts, await next.ended, worker.alive]).toEqual([[], ['init', 'result'], true])
  })

  test.each([true, false])('goes on to live only if the CLI ends the turn in two seconds: %p', async (ends) => {
    jest.useFakeTimers()
    try {
      const { worker, cli } = createWorker()
      const leaving = new AbortController()
      const { ended } = turn(worker, { signal: leaving.signal })
      await turns()
      cli.say(init())
      await turns()
      leaving.abort()
      await turns()
      cli.say(delta('Bees'), ...(ends ? [result()] : []))
      await turns()
      jest.advanceTimersByTime(1999)
      expect(worker.alive).toBe(true)
      jest.advanceTimersByTime(1)
      expect(worker.alive).toBe(ends)
      await ended.catch(() => {})
    } finally {
      jest.useRealTimers()
    }
  })

  test('before it begins costs nothing', async () => {
    const { worker, heard } = createWorker()
    await worker.ready
    await failureOf(turn(worker, { signal: AbortSignal.abort() }).ended)
    expect(heard).not.toContain('bees')
    worker.interrupt()
    expect(heard).not.toContain('interrupt')
  })
})

describe('a worker is stopped', () => {
  test.each([
    ['in its first session', 0],
    ['in a turn', 1],
  ] as const)('that lists a tool which nobody asked for %s', async (_, at) => {
    const odd = init(['WebSearch', 'Bash'])
    const { worker, cli } = createWorker(at === 0 ? { clears: [{ type: 'conversation_reset' }, odd, result('')] } : {})
    const { ended } = turn(worker)
    await turns()
    if (at === 1) cli.say(odd, delta('rm -rf'), result())
    const failure = await ended.catch((error: Error) => error.message)
    expect(failure).toContain('tools that csp did not ask for: Bash')
    expect(worker.alive).toBe(false)
  })

  test('that does not clear its session, or whose CLI is too old to say so', async () => {
    for (const clears of [
      [init(), result('')],
      [{ type: 'conversation_reset' }, result('')],
      [...cleared.slice(0, 2), { ...result('Oh no'), is_error: true }],
    ]) {
      const { worker } = createWorker({ clears })
      expect(await failureOf(turn(worker).ended)).toMatchObject({ code: 'unavailable' })
      expect(worker.alive).toBe(false)
    }
  })

  test('whose CLI is another one than that which was probed, and too old', async () => {
    const old = { ...init(), claude_code_version: '2.1.128' }
    const { worker, heard } = createWorker({ clears: [{ type: 'conversation_reset' }, old, result('')] })
    expect((await failureOf(turn(worker).ended)).message).toContain('(2.1.128) is too old')
    expect([worker.alive, heard]).toEqual([false, ['/clear']])
    const silent = [{ ...init(), claude_code_version: '2.1.220' }, result('')]
    await createWorker({ clears: silent }).worker.ready // it does not say yet that it has cleared its session
  })

  test('that is not cleared of tools; an abort meanwhile does not end it', async () => {
    for (const isAborted of [false, true]) {
      const { worker, cli } = createWorker()
      const first = turn(worker, { tools: toolsNamed('a') })
      await turns()
      cli.say(init(['WebSearch', 'a']), result())
      await first.ended
      cli.clears = isAborted ? [] : [init(), result('')]
      const leaving = new AbortController()
      const second = turn(worker, { signal: leaving.signal })
      await turns()
      leaving.abort()
      await turns()
      if (isAborted) cli.say(...cleared)
      await failureOf(second.ended)
      expect(worker.alive).toBe(isAborted)
    }
  })

  test('that is not ready, or not cleared, in time', async () => {
    const given: number[] = []
    let late = new AbortController()
    const timeout = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      given.push(ms)
      return late.signal
    })
    try {
      const starting = createWorker({ clears: [] })
      late.abort()
      expect(await starting.worker.ready.catch((error: Error) => error.message)).toContain('does not answer')
      late = new AbortController()
      const { worker, cli } = createWorker()
      const { ended } = turn(worker)
      await turns()
      cli.say(init(), result())
      await ended
      cli.clears = []
      worker.reset()
      late.abort()
      expect(await worker.ready.catch((error: Error) => error.message)).toContain('does not answer')
      expect([starting.worker.alive, worker.alive]).toEqual([false, false])
      // A start waits for a loaded machine; a caller who comes meanwhile waits for the clearing.
      expect(given).toEqual([15_000, 15_000, 5000])
    } finally {
      timeout.mockRestore()
    }
  })
})

test('a worker whose CLI did not load the tools of the caller says which', async () => {
  const { worker, cli } = createWorker()
  const { ended } = turn(worker, { tools: toolsNamed('weather') })
  await turns()
  cli.say(init())
  await turns()
  cli.say(result())
  expect(await ended.catch((error: Error) => error.message)).toContain('did not load these tools: weather')
})

test('a worker that falls silent in a turn is stopped, and one that idles is not even asked', async () => {
  jest.useFakeTimers()
  try {
    const { worker, heard, cli } = createWorker()
    await worker.ready
    await turns()
    const asked = () => heard.filter((each) => each === 'mcp_status').length
    expect(asked()).toBe(1)
    jest.advanceTimersByTime(60_000)
    const { ended } = turn(worker)
    await turns()
    expect([asked(), worker.alive]).toEqual([1, true])
    cli.say(init(), result())
    await ended
    jest.advanceTimersByTime(60_000)
    expect([asked(), worker.alive]).toEqual([1, true])
    const silent = turn(worker)
    await turns()
    cli.say = () => {}
    jest.advanceTimersByTime(7500)
    expect(await silent.ended.catch((error: Error) => error.message)).toContain('does not answer')
    expect([asked(), worker.alive]).toEqual([2, false])
  } finally {
    jest.useRealTimers()
  }
})

test('a worker whose CLI ends fails its turn, and takes no other', async () => {
  const { worker, cli, end } = createWorker()
  const { ended } = turn(worker)
  await turns()
  cli.say(init())
  await turns()
  await end({ signal: 'SIGKILL' })
  expect(await ended.catch((error: Error) => error.message)).toContain('ended by SIGKILL')
  const refused = { code: 'unavailable', message: 'The Claude worker has ended.' } // at once, not after a silence
  expect(await failureOf(turn(worker).ended)).toMatchObject(refused)
  expect(await worker.exited).toMatchObject({ signal: 'SIGKILL' })
})

test.each([
  ['apply_flag_settings', { settings: { body: '{"tools":["of another"]}', effort: 'low' } }],
  ['set_model', { model: 'opus' }],
] as const)(
  'a caller who leaves while the CLI is told something (%s) leaves nothing of it to the next',
  async (subtype, theirs) => {
    const own = { body: '{"tools":["usual"]}', effort: 'low' } as const
    const { worker, heard } = createWorker({ ignores: subtype, settings: own })
    const leaving = new AbortController()
    const left = turn(worker, { settings: own, ...theirs, signal: leaving.signal })
    await turns()
    leaving.abort()
    expect(await failureOf(left.ended)).toBeDefined()
    const told = () => heard.filter((each) => each === subtype).length
    expect(told()).toBe(1)
    // What the CLI works with is not known, so it is told what this turn wants, though that is what it began with.
    turn(worker, { settings: own })
    await turns()
    expect(told()).toBe(2)
  },
)
