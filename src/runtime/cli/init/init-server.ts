import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxNotice } from '../../../domain/health.ts'
import { serversHere } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { Interrupted } from '../../config/usage-error.ts'
import { csp, serviceProgram } from '../../shell/program.ts'
import type { Shell, Stream } from '../../shell/shell.ts'
import { safeLine } from '../../shell/terminal.ts'
import { exitCodes } from '../command.ts'
import { runCommand } from '../run-command.ts'
import { search } from '../search/search.ts'
import { start } from '../start/start.ts'
import { heading, type InitCall, isWanted, say } from './init-call.ts'
import type { ClaudeState } from './init-claude.ts'

/** How csp serves now. */
export interface ServerReport {
  readonly how: 'running' | 'service' | 'background'
  readonly ok: boolean
  readonly url?: string | undefined
}

/** Offers to serve from each login on, or until the machine is switched off. */
export async function setUpServer(call: InitCall, isNeeded: boolean): Promise<ServerReport | undefined> {
  const { loaded, options, shell } = call
  heading(call, 'Server')
  const [running] = (await serversHere(loaded)).chosen
  if (running && options.serve === undefined) {
    say(call, `  csp ${running.version} runs already at ${running.url}.${running.sandbox ? ` ${sandboxNotice}` : ''}`)
    return { how: 'running', ok: true, url: running.url }
  }
  const how = options.serve ?? (await wayToServe(call, isNeeded))
  if (how === 'no') {
    say(call, '  Not started.')
    return undefined
  }
  const atLogin = how === 'service' ? ['--at-login'] : []
  const code = await runCommand(start, [...atLogin, ...configFlag(call)], shell)
  const [now] = (await serversHere(loaded)).chosen
  return { how, ok: code === exitCodes.done, url: now?.url }
}

async function wayToServe(call: InitCall, isNeeded: boolean): Promise<'service' | 'background' | 'no'> {
  const { options, isAttended } = call
  if (options.yes && !isAttended) return isNeeded ? 'background' : 'no'
  if (!isNeeded && !isAttended) say(call, `  ${csp} search and Claude Desktop need no server; other programs do.`)
  const manager = managerHere(call)
  if (manager && (await isWanted(call, `  Serve from each login on, as a service of ${manager.name}?`)))
    return 'service'
  return (await isWanted(call, `  Serve in the background now, until ${csp} stop?`)) ? 'background' : 'no'
}

/** What starts csp at each login, where there is a session that can, and a csp that stays: not in a folder of npx. */
export function managerHere({ shell }: Pick<InitCall, 'shell'>) {
  const canServe = canManage(shell) && serviceProgram(shell.environment) !== undefined
  return canServe ? ownServiceManager(shell.environment) : undefined
}

/** Containers, and terminals of su and sudo, have no systemd of the user. */
function canManage({ environment }: Shell): boolean {
  if (process.platform !== 'linux') return true
  const folder = environment['XDG_RUNTIME_DIR'] || `/run/user/${process.getuid?.() ?? ''}`
  return existsSync(join(folder, 'systemd'))
}

/** The one search that shows that all of it works. */
export interface SearchReport {
  readonly ok: boolean
  readonly results?: number | undefined
  readonly seconds: number
  readonly problem?: string | undefined
}

/** Makes one search, as `csp search` does. Throws `Interrupted` at Ctrl-C. */
export async function trySearch(call: InitCall, claude: ClaudeState): Promise<SearchReport | undefined> {
  const { options, shell } = call
  if (options.noSearch || claude === 'signed-out') return undefined
  heading(call, 'First search')
  if (!(await isWanted(call, `  Try a search?${call.loaded.config.sandbox ? '' : ' It counts towards your plan.'}`)))
    return undefined
  const [output, errors] = [keptStream(), keptStream()]
  const began = performance.now()
  const code = await runCommand(search, ['--json', '-n', '5', ...configFlag(call), '--', query], {
    ...shell,
    output,
    errors,
  })
  const seconds = Math.round((performance.now() - began) / 100) / 10
  if (code === exitCodes.interrupted) throw new Interrupted('The search was stopped.')
  if (code !== exitCodes.done) {
    const problem = safeLine(errors.text().trim())
    say(call, `  It failed: ${problem}`)
    return { ok: false, seconds, problem }
  }
  const { results }: { readonly results: readonly { readonly title: string }[] } = JSON.parse(output.text())
  say(call, `  "${query}": ${results.length} results in ${seconds} s, such as`)
  for (const { title } of results.slice(0, 3)) say(call, `    ${safeLine(title)}`)
  return { ok: true, results: results.length, seconds }
}

const query = 'latest stable release of Node.js'

function configFlag({ flags }: InitCall): readonly string[] {
  const { config } = flags
  return typeof config === 'string' ? [`--config=${config}`] : []
}

/** Keeps what a command writes. */
function keptStream(): Stream & { text(): string } {
  const kept: string[] = []
  return { write: (text) => void kept.push(text), isTerminal: false, columns: 80, text: () => kept.join('') }
}
