import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { EngineOptions } from '../../../../src/executor/backends/claude/engine-options.ts'
import { Engines } from '../../../../src/executor/backends/claude/engines.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { type CliScript, scriptedCli, webSearch } from '../../../support/scripted-cli.ts'

// What is started before a search needs it, and what the CLI says without a model call, on a CLI that is a script.

let folder: ScratchHome
let engines: Engines
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(async () => {
  await engines.close()
  await folder[Symbol.asyncDispose]()
})

/** A worker whose session is cleared at once, and that answers requests outside the conversation. It takes a moment to end. */
function workerOffering(tools: readonly string[]): string {
  const init = { type: 'system', subtype: 'init', tools, model: 'm', claude_code_version: '2.1.129', mcp_servers: [] }
  const result = { type: 'result', subtype: 'success', is_error: false, result: '', usage: {}, modelUsage: {} }
  const answers = (response: object) => {
    const [before, after] = JSON.stringify({
      type: 'control_response',
      response: { subtype: 'success', request_id: '?', response },
    }).split('?')
    return `printf '%s%s%s\\n' '${before}' "$id" '${after}'`
  }
  const models = [{ value: 'opus', resolvedModel: 'claude-opus-9', displayName: 'Opus' }]
  return `trap 'sleep 0.1; : > "$folder/gone"; exit' TERM
  echo "$CLAUDE_CODE_EFFORT_LEVEL" > "$folder/worker"
  while read -r line; do
    id=\${line#*'"request_id":"'}; id=\${id%%'"'*}
    case "$line" in
      */clear*) printf '%s\\n' '${JSON.stringify(init)}' '${JSON.stringify(result)}' ;;
      *list_models*) sleep 0.05; ${answers({ models })} ;;
      *get_usage*) printf '%s\\n' "$line" > "$folder/asked"; ${answers({ used: 1 })} ;;
      *'"initialize"'*) printf '%s\\n' "$line" > "$folder/initialized"; ${answers({})} ;;
      *control_request*) ${answers({})} ;;
    esac
  done
  exit`
}

function start(
  { worker = workerOffering(['WebSearch']), ...script }: CliScript & { worker?: string } = {},
  more: Partial<EngineOptions> = {},
) {
  const onStart = `case "$*" in *--print*) ${worker} ;; esac`
  const cli = scriptedCli(folder.path, { ...script, onStart })
  engines = new Engines({
    ...{ findBinary: () => cli.path, environment: { PATH: process.env['PATH'] }, workingDirectory: folder.path },
    ...{ model: 'sonnet', excerpts: 'lines', maxSessionSearches: 1, sessionContext: 'clear', version: '0' },
    ...{ auth: 'subscription' },
    ...more,
  })
  return { cli, onStart }
}

const { signal } = new AbortController()
const written = (name: string) => readFileSync(join(folder.path, name), 'utf8').trim()
const exists = (name: string) => existsSync(join(folder.path, name))
const noSearch = [{ ...webSearch, name: 'Other' }]

describe('a CLI that is started ahead', () => {
  test.each<[string, CliScript & { worker?: string }, boolean]>([
    ['searches over MCP and in workers', {}, true],
    ['searches in workers alone', { tools: noSearch }, true],
    ['offers no WebSearch at all', { tools: noSearch, worker: workerOffering([]) }, false],
  ])('%s', async (_, script, isUsable) => {
    start(script)
    const warming = engines.warm()
    if (isUsable) await warming
    else expect((await failureOf(warming)).message).toMatch(/WebSearch/)
    if (isUsable) expect(engines.offered).toEqual([{ name: 'opus', fullName: 'claude-opus-9', title: 'Opus' }])
  })

  test('has a worker that thinks a little before it searches, with the words of the operator', async () => {
    start({}, { prompts: { deep: 'You are a librarian.' } })
    await engines.warm()
    expect(written('worker')).toBe('medium')
    expect(written('initialized')).toContain('You are a librarian.')
  })

  test('that cannot be used has no worker started', async () => {
    start({ version: '2.1.128' })
    expect((await failureOf(engines.warm())).message).toContain('too old')
    expect(exists('worker')).toBe(false)
  })

  test('is started ahead again when another one takes its place, and not where the first was not', async () => {
    const { cli, onStart } = start({}, { lookMs: 0 })
    const warm = spyOn(engines, 'warm')
    await engines.probed()
    for (const version of ['9.1.1', '9.1.2']) {
      cli.write({ version, onStart })
      await Bun.sleep(2)
      await eventually(async () => (await engines.probed()).version === version)
      expect(warm).toHaveBeenCalledTimes(version === '9.1.1' ? 0 : 2)
      if (version === '9.1.1') await engines.warm()
    }
  })
})

describe('the use of the plan', () => {
  test('is asked of a worker of its own, which is gone then', async () => {
    start({ worker: workerOffering([]) })
    expect(await engines.planUsage(signal)).toEqual({ used: 1 })
    expect([written('worker'), exists('gone')]).toEqual(['low', true])
    expect(JSON.parse(written('asked')).request).toEqual({
      ...{ subtype: 'get_usage', skip_behaviors: true },
    })
  })

  test('is not asked of a CLI that cannot be used', async () => {
    start({ version: '2.1.128' })
    expect((await failureOf(engines.planUsage(signal))).message).toContain('too old')
    expect(exists('worker')).toBe(false)
  })
})

test('closing waits until each process is gone, and nothing begins behind it', async () => {
  const { cli } = start()
  await engines.warm()
  await engines.close()
  expect(exists('gone')).toBe(true)
  const probes = cli.probes()
  expect((await failureOf(engines.ready(signal))).message).toBe('csp is shutting down.')
  expect(cli.probes()).toBe(probes)
})
