import { ask } from './ask/ask.ts'
import { cache } from './cache/cache.ts'
import type { Command } from './command.ts'
import { createCompletions } from './completions/completions.ts'
import { config } from './config/config.ts'
import { connect } from './connect/connect.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor/doctor.ts'
import { evalCommand } from './eval/eval.ts'
import { fetchCommand } from './fetch/fetch.ts'
import { init } from './init/init.ts'
import { jobs } from './jobs/jobs.ts'
import { keys } from './keys/keys.ts'
import { login } from './login/login.ts'
import { logs } from './logs/logs.ts'
import { mcp } from './mcp/mcp.ts'
import { memory } from './memory/memory.ts'
import { models } from './models/models.ts'
import { recall } from './recall/recall.ts'
import { receipt } from './receipt/receipt.ts'
import { research } from './research/research.ts'
import { restart } from './restart/restart.ts'
import { run } from './run/run.ts'
import { search } from './search/search.ts'
import { serve } from './serve/serve.ts'
import { service } from './service/service.ts'
import { setup } from './setup/setup.ts'
import { start } from './start/start.ts'
import { status } from './status/status.ts'
import { stop } from './stop/stop.ts'
import { uninstall } from './uninstall/uninstall.ts'
import { usage } from './usage/usage.ts'
import { verify } from './verify/verify.ts'
import { versionCommand } from './version/version.ts'
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
