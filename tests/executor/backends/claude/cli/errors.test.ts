import { describe, expect, test } from 'bun:test'
import { searchToolError, ungrounded } from '../../../../../src/executor/answer/errors.ts'
import {
  brokenOff,
  endedFailure,
  explainFailure,
  hasUnexpectedTools,
  isBrokenOff,
  silentFailure,
  unexpectedTools,
} from '../../../../../src/executor/backends/claude/cli/errors.ts'
import fixture from '../../../../sandbox/cli-errors.json'

const now = new Date('2026-11-20T10:00:00Z')
const codes: Readonly<Record<string, string>> = {
  'error-400': 'invalid-request',
  'error-401': 'signed-out',
  'error-403': 'signed-out',
  'error-404': 'invalid-request',
  'error-413': 'invalid-request',
  'error-429': 'rate-limited',
  'error-429-week': 'rate-limited',
  'error-429-bare': 'rate-limited',
  'error-third-party': 'rate-limited',
  'error-extra-usage': 'rate-limited',
  'error-credit-balance': 'rate-limited',
  'error-500': 'unavailable',
  'error-529': 'unavailable',
  cut: 'unavailable',
  garbage: 'unavailable',
}

describe('the recorded errors of the real CLI', () => {
  const served = Object.entries(fixture.serve).flatMap(([name, row]) =>
    'text' in row ? [[name, row.text] as const] : [],
  )
  const printed = Object.entries(fixture.print).flatMap(([name, { result }]) =>
    name in codes ? [[name, result.result, result.api_error_status ?? undefined] as const] : [],
  )
  const inSearch = Object.entries(fixture.printSearch).flatMap(([name, { toolUseResult }]) =>
    typeof toolUseResult === 'string' ? [[name, toolUseResult] as const] : [],
  )

  test('are all covered by these tests', () => {
    expect([served.length, printed.length, inSearch.length]).toEqual([14, 15, 8])
  })

  test.each(served)('over MCP get the right code: %s', (name, text) => {
    expect(explainFailure({ text }, now).code).toBe(codeOf(name))
  })

  test.each(printed)('of a turn get the right code: %s', (name, text, apiStatus) => {
    expect(explainFailure({ text, apiStatus }, now).code).toBe(codeOf(name))
    expect(explainFailure({ text }, now).code).toBe(codeOf(name)) // older versions give no status
  })

  test.each(inSearch)('of a search in a turn get the right code: %s', (name, text) => {
    expect(explainFailure({ text }, now).code).toBe(codeOf(name))
  })
})

test.each([
  ['API Error: 529 Overloaded.', 'The Claude API is overloaded (529).'],
  ['API Error: 500 Internal server error.', 'The Claude API has failed (500).'],
  ['API Error: Connection refused (ECONNREFUSED)', 'The Claude API cannot be reached, or the connection to it broke.'],
])('says which failure of the API it was: %s', (text, message) => {
  expect(explainFailure({ text }, now).message).toBe(message)
})

describe('another text of the CLI', () => {
  test.each([
    ['Not logged in · Please run /login', 'signed-out'],
    ['OAuth token has expired · Please run /login', 'signed-out'],
    ['API Error: 403 Forbidden', 'signed-out'],
    ["You've hit your weekly limit · resets Nov 25, 9am (UTC)", 'rate-limited'],
    ['Claude AI usage limit reached', 'rate-limited'],
    ['Credit balance is too low', 'rate-limited'],
    ['API Error: 404 model: nothing', 'invalid-request'],
    ["There's an issue with the selected model (nothing). It may not exist.", 'invalid-request'],
    ['API Error: 413 request_too_large', 'invalid-request'],
    ['Prompt is too long', 'invalid-request'],
    ['Request too large (max 32MB). Accumulated images', 'invalid-request'],
    ['API Error: Connection error.', 'unavailable'],
    ['API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL', 'unavailable'],
    ['API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)', 'unavailable'],
    ['API Error: Oh no (ENOTFOUND)', 'unavailable'],
    ['API Error: JSON Parse error: Unexpected identifier "data"', 'unavailable'],
    // Since 2.1.332; it then says what the body was: empty, HTML, no JSON.
    ['API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway', 'unavailable'],
    ['API Error: Unable to connect to API (ConnectionRefused)', 'unavailable'],
    ['API Error: Request timed out.', 'unavailable'],
    ['API Error: 503 upstream', 'unavailable'],
    ['Something new', 'failed'],
    ['', 'failed'],
  ])('gets the right code: %s', (text, code) => {
    const failure = explainFailure({ text }, now)
    expect(failure.code).toBe(code as typeof failure.code)
    expect(failure.message).not.toBe('')
    expect(failure.retryAfterSeconds !== undefined).toBe(text.includes('resets'))
  })

  test('about a 429 that is no quota of this account is an error for less than a minute', () => {
    const text =
      'API Error: Server is temporarily limiting requests (not your usage limit) · This request would exceed …'
    const { code, retryAfterSeconds, message } = explainFailure({ text, apiStatus: 429 }, now)
    expect({ code, retryAfterSeconds }).toEqual({ code: 'rate-limited', retryAfterSeconds: 30 })
    expect(message).not.toContain('subscription')
  })

  test('that only looks like an error gets no special code', () => {
    for (const text of ['5290 items', 'The 401 bus', 'API Error: 4010']) {
      expect(explainFailure({ text }, now).code).toBe('failed')
    }
  })

  test.each([
    [400, 'invalid-request', 'rejected'],
    [401, 'signed-out', 'csp login'],
    [403, 'signed-out', 'account (403). Its plan'],
    [404, 'invalid-request', 'model'],
    [413, 'invalid-request', 'too long'],
    [422, 'invalid-request', 'rejected'],
    [429, 'rate-limited', 'usage limit'],
    [499, 'failed', 'does not know'],
    [500, 'unavailable', 'has failed (500)'],
    [503, 'unavailable', 'is overloaded (503)'],
    [529, 'unavailable', 'is overloaded (529)'],
  ] as const)('that says nothing is told by its status %d', (apiStatus, code, words) => {
    const { code: found, message } = explainFailure({ text: 'Oh no', apiStatus }, now)
    expect({ found, message }).toEqual({ found: code, message: expect.stringContaining(words) })
  })

  test('counts less than an HTTP status', () => {
    expect(explainFailure({ text: 'Oh no', apiStatus: 529 }, now).code).toBe('unavailable')
    expect(explainFailure({ text: 'Failed to authenticate', apiStatus: 403 }, now).message).toContain('plan')
    expect(explainFailure({ text: 'Failed to authenticate. API Error: 403 Permission' }, now).message).toContain('plan')
    expect(explainFailure({ text: 'Failed to authenticate. API Error: 401 Invalid' }, now).message).toContain(
      'csp login',
    )
  })
})

describe('the time to wait in an error', () => {
  const text = "You've hit your 5-hour limit · resets 11:00am (UTC)"

  test('is read from the text', () => {
    const failure = explainFailure({ text }, now)
    expect(failure.retryAfterSeconds).toBe(3660)
    // A breaker repeats the message later: the time stands beside it alone.
    expect(failure.message).toBe('The usage limit of this Claude subscription is reached.')
  })

  test('is the reset time that the CLI reports separately, where it does, and at least a second', () => {
    const after = (ms: number) =>
      explainFailure({ text, resetsAt: new Date(now.getTime() + ms) }, now).retryAfterSeconds
    expect([after(90_400), after(1), after(0), after(-5000)]).toEqual([91, 1, 1, 1])
  })

  test('is set for a limit only', () => {
    const failure = explainFailure({ text: 'API Error: 529 Overloaded', resetsAt: now }, now)
    expect(failure.retryAfterSeconds).toBeUndefined()
  })
})

test('an unknown failure quotes nothing; the text of the CLI is in its cause, for the debug log', () => {
  const failure = explainFailure({ text: 'Odd: “the secret question”\nSECRET=1' }, now)
  expect(failure).toMatchObject({ code: 'failed', cause: 'Odd: “the secret question”\nSECRET=1' })
  expect(failure.message).toBe('Claude failed in a way that csp does not know. The debug log has its words.')
  expect(explainFailure({ text: '  \n ' }, now).message).toBe('Claude failed without saying why.')
})

test.each([
  [
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}',
    'content filter',
  ],
  ['API Error: 400 messages.3: “my question” is not allowed', 'rejected'],
  ['API Error: 422 unprocessable', 'rejected'],
])('%s is the fault of its caller and is not quoted', (text, words) => {
  const failure = explainFailure({ text }, now)
  expect(failure.code).toBe('invalid-request')
  expect(failure.message).toContain(words)
  expect(failure.message).not.toContain('question')
})

test.each([
  ['too_many_requests', 'unavailable', 2],
  ['session_budget', 'rate-limited', undefined],
  ['query_too_long', 'invalid-request', undefined],
  ['invalid_input', 'invalid-request', undefined],
  ['invalid_tool_input', 'invalid-request', undefined],
  ['max_uses_exceeded', 'unavailable', undefined],
  ['unavailable', 'unavailable', undefined],
  ['something_new', 'unavailable', undefined],
] as const)('the search tool’s own error %s is %s', (name, code, retryAfterSeconds) => {
  expect(searchToolError(name)).toMatchObject({ code, retryAfterSeconds })
})

test('an answer without a search is ungrounded', () => {
  expect(ungrounded().code).toBe('ungrounded')
})

function codeOf(name: string) {
  const code = codes[name]
  if (!code) throw new Error(`No code is expected for ${name}.`)
  return code as ReturnType<typeof explainFailure>['code']
}

test.each([
  ["You've hit your 5-hour limit · resets 9:02am (UTC)", true],
  ["You've hit your session limit · resets 9:02am (UTC)", true],
  ["You've hit your weekly limit · resets Nov 25, 9am (UTC)", true],
  ["You've hit your Opus limit · resets Nov 25, 9am (UTC)", false],
  ["You've hit your Sonnet limit · resets Nov 25, 9am (UTC)", false],
  ['API Error: 429 rate limited', false],
])('the limit %j holds for every model: %p', (text, isForAll) => {
  expect(explainFailure({ text, apiStatus: 429 }, now)).toMatchObject({ code: 'rate-limited', isForAll })
})

test('a connection that broke is one, in all the words of the CLI', () => {
  for (const text of [
    'API Error: Connection lost mid-response. The response above may be incomplete.',
    'Unable to validate model: ECONNRESET: The socket connection was closed unexpectedly.',
  ])
    expect(explainFailure({ text }, now).code).toBe('unavailable')
})

test('the text of a failure is kept for the debug log, as far as its first 500 characters', () => {
  expect(explainFailure({ text: `${'a'.repeat(500)}b` }, now).cause).toBe('a'.repeat(500))
})

test('a process that ended says how, or that we ended it for a line that is too long', () => {
  const exit = { code: 3, signal: null, stderr: 'Oh no' }
  expect(endedFailure(exit)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('with code 3') })
  expect(endedFailure({ ...exit, signal: 'SIGKILL' }).message).toContain('by SIGKILL')
  expect(endedFailure({ ...exit, reason: 'stopped' }).code).toBe('unavailable')
  expect(endedFailure({ ...exit, reason: 'line-too-long' })).toMatchObject({
    code: 'failed',
    message: expect.stringContaining('a line that is too long'),
  })
})

test('a message that broke off and tools that nobody asked for are told from all other failures', () => {
  const failures = [brokenOff(), unexpectedTools(['Bash']), silentFailure(), new Error('Oh no'), undefined]
  expect(failures.map(isBrokenOff)).toEqual([true, false, false, false, false])
  expect(failures.map(hasUnexpectedTools)).toEqual([false, true, false, false, false])
})
