import { describe, expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { JsonShape } from '../../../../src/executor/answer/json/shape.ts'
import { unexpectedTools } from '../../../../src/executor/backends/claude/cli/errors.ts'
import type { Engines, Task } from '../../../../src/executor/backends/claude/engines.ts'
import type { CliEvent } from '../../../../src/executor/backends/claude/worker/events.ts'
import type { Lease } from '../../../../src/executor/backends/claude/worker/pool.ts'
import { type WorkerReply, writeReply } from '../../../../src/executor/backends/claude/worker-reply.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'

/** What a worker does with a prompt: what its CLI says, and how the turn fails. */
interface Turn {
  readonly says: readonly CliEvent[]
  readonly fails?: SearchError
  /** Whether the worker is gone then. */
  readonly dies?: boolean
}

interface Options extends Partial<Omit<Task, 'request'>>, Pick<WorkerReply, 'searchReminder'> {
  readonly request?: Partial<SearchRequest>
}

/** A reply of workers that do this, one turn after the other, and what was asked of them. */
function replyOf(turns: readonly Turn[], { request, searchReminder, ...options }: Options = {}) {
  const asked: string[] = []
  const left = [...turns]
  const createWorker = () => {
    const worker = {
      ...{ alive: true, model: 'sonnet', interrupt() {} },
      async *turn(prompt: string) {
        asked.push(prompt.slice(0, 12))
        const { says, fails, dies } = left.shift() ?? { says: [] }
        yield* says
        if (dies) worker.alive = false
        if (fails) throw fails
      },
      async clear() {
        await Bun.sleep(0)
        asked.push('(cleared)')
      },
    }
    return worker
  }
  const lease = {
    worker: createWorker(),
    exchange() {
      asked.push('(exchanged)')
      lease.worker = createWorker()
    },
  }
  const engines = { modelFor: () => 'sonnet', noteLimit() {}, now: () => new Date() } as unknown as Engines
  const never = new AbortController().signal
  const task: Task = {
    ...{ engines, request: requestFor('bees', { want: 'text', ...request }), tools: undefined, shape: undefined },
    ...{ signal: never, enough: never },
    ...options,
  }
  const reply = writeReply(task, { lease: lease as unknown as Lease, prompt: 'Write.', searchReminder })
  return { asked, ended: collect(reply).then(({ text }) => text) }
}

const start: CliEvent = { type: 'message-start' }
const stop: CliEvent = { type: 'message-stop' }
const text = (words: string): CliEvent => ({ type: 'text-delta', text: words })
const result = (failed = false): CliEvent => ({
  type: 'result',
  result: {
    failed,
    text: '',
    apiStatus: failed ? 529 : undefined,
    stopReason: 'end_turn',
    inputTokens: 1,
    outputTokens: 1,
  },
})
const whole = (words: string): Turn => ({
  says: [start, text(words), { type: 'message-end', stopReason: 'end_turn' }, stop, result()],
})
const lost = new SearchError('unavailable', 'It has ended.')
const dead: Turn = { says: [], fails: lost, dies: true }
/** The CLI lets the model go on from a text that the connection cut. */
const cut: Turn = { says: [start, text('Bees'), { type: 'text-kept' }, stop, { type: 'retry' }] }

describe('a reply', () => {
  test.each([
    [
      'dies before it said anything is written by another',
      [dead, whole('Bees hum.')],
      {},
      ['Write.', '(exchanged)', 'Write.'],
    ],
    [
      'breaks off in a text that nothing has passed on is written once more, in a cleared session',
      ...[[cut, whole('Bees hum.')], { isWhole: true }, ['Write.', '(cleared)', 'Write.']],
    ],
  ] as const)('whose worker %s', async (_, turns, options, expected) => {
    const { asked, ended } = replyOf(turns, options)
    expect([await ended, asked]).toEqual(['Bees hum.', [...expected]])
  })

  test.each([
    ['dies twice', [dead, dead], {}, ['Write.', '(exchanged)', 'Write.']],
    ['dies within its text', [{ ...dead, says: [start, text('Bees')] }], {}, ['Write.']],
    ['hears that the API is overloaded', [{ says: [result(true)] }], {}, ['Write.']],
    ['breaks off in a text that its caller reads', [cut], {}, ['Write.']],
    [
      'breaks off in a text that may end at a stop sequence, which is looked for as it comes',
      ...[[cut], { isWhole: true, request: { stop: ['hum'] } }, ['Write.']],
    ],
    ['has tools that csp did not ask for', [{ ...dead, fails: unexpectedTools(['Bash']) }], {}, ['Write.']],
    ['dies when its caller has left', [dead], { signal: AbortSignal.abort() }, ['Write.']],
  ] as const)('fails whose worker %s', async (_, turns, options, expected) => {
    const { asked, ended } = replyOf([...turns, whole('Too late.')], options)
    expect((await failureOf(ended)).code).toBe('unavailable')
    expect(asked).toEqual([...expected])
  })

  test('is asked for again in a cleared session where the model did not search, and in the same one where its JSON does not fit', async () => {
    const searched: Turn = {
      says: [
        { type: 'tool-use', id: 's1', name: 'WebSearch', query: 'bees' },
        ...[
          { type: 'tool-result', id: 's1', output: { searched: true, hits: [], text: '', error: undefined } } as const,
        ],
        ...whole('From memory.').says,
      ],
    }
    const ungrounded = replyOf([whole('From memory.'), searched], { searchReminder: 'Do search.' })
    expect(await ungrounded.ended).not.toContain('memory')
    expect(ungrounded.asked).toEqual(['Write.', '(cleared)', 'Do search.'])

    const shape = new JsonShape({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] })
    const odd = replyOf([whole('{"b":1}'), whole('{"a":1}')], { shape })
    expect([JSON.parse(await odd.ended), odd.asked.length, odd.asked.includes('(cleared)')]).toEqual([
      { a: 1 },
      2,
      false,
    ])
    const twice = replyOf([whole('{"b":1}'), whole('{"b":1}')], { shape })
    expect(await failureOf(twice.ended)).toMatchObject({ code: 'failed' })
    expect(twice.asked).toHaveLength(2)
  })
})
