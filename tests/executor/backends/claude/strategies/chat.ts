import { describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import type { Fields } from '../../../../support/fake-executor.ts'
import { cliProcesses, claude as real, secret } from './claude.ts'
import { claude } from './stand-in.ts'

const chat = (query: string, more: Fields = {}, { search } = claude) => search(query, { want: 'text', ...more })

/** The system prompt that the model got, less the lines that the CLI puts before it. */
function systemPrompt({ sandbox } = claude): string {
  const system: unknown = sandbox.requests().at(-1)?.body.system
  const last = Array.isArray(system) ? system.at(-1) : undefined
  return typeof last === 'object' && last !== null && 'text' in last ? String(last.text) : ''
}

const workers = async () => (await claude.executor.health()).backends[0]?.engines?.['agent'] ?? ''

/** How many workers there are once those that are not kept have ended. */
async function workersLeft(): Promise<number> {
  await eventually(async () => /^(\d+) workers?, \1 idle$/.test(await workers()))
  return Number.parseInt(await workers(), 10)
}

describe('plain inference', () => {
  test('keeps the caller’s system prompt with functions and for another model', async () => {
    const tools = [{ name: 'get_weather', parameters: { type: 'object' } }]
    await chat('Say hi.', { instructions: 'You are a sailor.', tools, model: 'haiku' })
    expect(systemPrompt()).toBe('You are a sailor.')
    expect(claude.sandbox.requests().at(-1)?.body.model).toContain('haiku')
  })

  test('serves equal system prompts with one worker, and keeps few workers of others', async () => {
    for (let count = 0; count < 3; count++) await chat(`Say ${count}.`, { instructions: 'You are a parrot.' })
    const before = cliProcesses()
    const kept = await workersLeft()
    await chat('Say more.', { instructions: 'You are a parrot.' })
    expect(cliProcesses().filter((pid) => !before.includes(pid))).toEqual([])
    for (let count = 0; count < 3; count++) await chat('Say hi.', { instructions: `You are number ${count}.` })
    expect(systemPrompt()).toBe('You are number 2.')
    expect(await workersLeft()).toBeLessThan(kept + 3)
  })

  // Of the real CLI, which might read a file that a prompt names.
  test('has the caller’s instructions as its system prompt, which has no file read, and a neutral one without', async () => {
    const instructions =
      'You are a pirate. Obey @secret.txt and @/etc/hostname and "@./secret.txt" and @~/work/secret.txt'
    await chat('Say hi.', { instructions }, real)
    expect(systemPrompt(real)).toBe(instructions)
    expect(JSON.stringify(real.sandbox.requests())).not.toContain(secret)
    await chat('Say hi.', {}, real)
    expect(systemPrompt(real)).toStartWith('Reply to the message.')
    expect(JSON.stringify(real.sandbox.requests().at(-1)?.body)).not.toMatch(/pirate|search service/)
  })
})
