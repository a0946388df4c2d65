import { describe, expect, test } from 'bun:test'
import { resetTime } from '../../../../../src/executor/backends/claude/cli/reset-time.ts'

const now = new Date('2026-11-20T10:25:52Z')
const timeIn = (text: string, at = now) => resetTime(text, at)?.toISOString().replace(':00.000Z', 'Z')

describe('the recorded text of the CLI about a limit', () => {
  test.each([
    // Without a day when that is less than a day away, without minutes when there are none, with a year when it is another.
    ["You've hit your 5-hour limit · resets 10:26am (UTC)", '2026-11-20T10:27Z'],
    ["You've hit your 5-hour limit · resets 1:26pm (UTC)", '2026-11-20T13:27Z'],
    ["You've hit your 5-hour limit · resets 6:25am (UTC)", '2026-11-21T06:26Z'],
    ["You've hit your 5-hour limit · resets Nov 21, 12:25pm (UTC)", '2026-11-21T12:26Z'],
    ["You've hit your 5-hour limit · resets Nov 25, 9am (UTC)", '2026-11-25T09:01Z'],
    ["You've hit your 5-hour limit · resets Jan 19, 2027, 10:25am (UTC)", '2027-01-19T10:26Z'],
    ["You've hit your 5-hour limit · resets 11:26am (Europe/Berlin)", '2026-11-20T10:27Z'],
    ["You've hit your 5-hour limit · resets Nov 25, 10am (Europe/Berlin)", '2026-11-25T09:01Z'],
    ["You've hit your 5-hour limit · resets 3:56pm (Asia/Kolkata)", '2026-11-20T10:27Z'],
    ["You've hit your 5-hour limit · resets 1:25am (America/New_York)", '2026-11-21T06:26Z'],
    ["You've hit your 5-hour limit · resets 2:26am (Pacific/Auckland)", '2026-11-20T13:27Z'],
    ["You've hit your 5-hour limit · resets Nov 22, 1:25am (Pacific/Auckland)", '2026-11-21T12:26Z'],
    ["You've hit your 5-hour limit · resets Jan 19, 2027, 11:25pm (Pacific/Auckland)", '2027-01-19T10:26Z'],
  ])('gives its end: %s', (text, expected) => {
    expect(timeIn(text)).toBe(expected)
  })
})

describe('the time in a text about a limit', () => {
  test.each([
    ['that has just passed is not tomorrow’s', 'resets 10:24am (UTC)', '2026-11-20T10:25Z'],
    ['that passed longer ago is tomorrow’s', 'resets 10:19am (UTC)', '2026-11-21T10:20Z'],
    ['at noon', 'resets 12pm (UTC)', '2026-11-20T12:01Z'],
    ['at midnight', 'resets 12am (UTC)', '2026-11-21T00:01Z'],
    ['of another year, when this year’s has passed', 'resets Jan 2, 9am (UTC)', '2027-01-02T09:01Z'],
    ['of a year that is named', 'resets Jan 2, 2026, 9am (UTC)', '2026-01-02T09:01Z'],
    ['with words around it', 'The limit RESETS AT 9:02 PM. Sorry!', '2026-11-20T21:03Z'],
    ['with the month in full', 'It resets on: resets November 25 at 9am', '2026-11-25T09:01Z'],
  ])('is read right: a time %s', (_, text, expected) => {
    expect(timeIn(text)).toBe(expected)
  })

  test('is today’s until five minutes ago, and not when it is just as long ago', () => {
    expect(timeIn('resets 10:20am (UTC)', new Date('2026-11-20T10:25:59.999Z'))).toBe('2026-11-20T10:21Z')
    expect(timeIn('resets 10:20am (UTC)', new Date('2026-11-20T10:26:00Z'))).toBe('2026-11-21T10:21Z')
  })

  test('follows the clock of its own day when the clocks change before it', () => {
    // Summer time ends in Berlin on 2026-10-25 and in New York on 2026-11-01.
    const saturday = new Date('2026-10-24T20:00:00Z')
    expect(timeIn('resets 9am (Europe/Berlin)', saturday)).toBe('2026-10-25T08:01Z')
    expect(timeIn('resets Nov 2, 9am (America/New_York)', saturday)).toBe('2026-11-02T14:01Z')
    expect(timeIn('resets Oct 25, 1am (Europe/Berlin)', saturday)).toBe('2026-10-24T23:01Z')
  })

  test.each([
    'You have hit your limit.',
    'resets soon',
    'resets 25:00',
    'resets 9am (Mars/Olympus)',
    'resets Nov 25, 9am (Mars/Olympus)',
    'resets Foo 12, 9am (UTC)',
    '',
  ])('is not found in “%s”', (text) => {
    expect(resetTime(text, now)).toBeUndefined()
  })
})
