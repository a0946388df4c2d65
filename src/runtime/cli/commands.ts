import type { Command } from './command.ts'
import { ask } from './commands/ask.ts'
import { cache } from './commands/cache.ts'
import { config } from './commands/config.ts'
import { connect } from './commands/connect.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { evalCommand } from './commands/eval.ts'
import { fetchCommand } from './commands/fetch.ts'
import { keys } from './commands/keys.ts'
import { login } from './commands/login.ts'
import { logs } from './commands/logs.ts'
import { mcp } from './commands/mcp.ts'
import { models } from './commands/models.ts'
import { restart } from './commands/restart.ts'
import { run } from './commands/run.ts'
import { search } from './commands/search.ts'
import { serve } from './commands/serve.ts'
import { service } from './commands/service.ts'
import { setup } from './commands/setup.ts'
import { start } from './commands/start.ts'
import { status } from './commands/status.ts'
import { stop } from './commands/stop.ts'
import { usage } from './commands/usage.ts'
import { versionCommand } from './commands/version.ts'
import { createCompletions } from './completions/completions.ts'
import { init } from './init/init.ts'
import { jobs } from './jobs/jobs.ts'
import { memory } from './memory/memory.ts'
import { recall } from './memory/recall.ts'
import { receipt } from './receipt/receipt.ts'
import { research } from './research/research.ts'
import { uninstall } from './uninstall/uninstall.ts'
import { verify } from './verify/verify.ts'
import { watch } from './watch/watch.ts'

const completions = createCompletions(() => commands)

/** All that csp can do, by what it is for, in the order that help shows it. */
export const commandGroups: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['Search', [search, ask, research, recall, fetchCommand, verify, receipt, jobs, watch, mcp, models]],
  ['Server', [serve, start, stop, restart, status, logs, connect]],
  ['Setup', [init, login, demo, doctor, setup, service, config, keys, run]],
  ['Maintenance', [usage, evalCommand, cache, memory, completions, versionCommand, uninstall]],
]

export const commands: readonly Command[] = commandGroups.flatMap(([, members]) => members)
