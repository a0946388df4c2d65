import type { LoadedConfig } from '../config/config.ts'
import { localUrl } from '../server/addresses.ts'
import { livenessAt } from '../server/csp-at.ts'
import { csp } from '../shell/program.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import {
  type Difference,
  differencesForGateway,
  differencesForSearch,
  readAnswerSettings,
  type SettingSources,
} from './answer-settings.ts'
import { type RunningServerRecord, runningServers } from './running-servers.ts'

/** What runs here, to a command that could use it. */
export type WhatRuns =
  | { readonly kind: 'none' }
  /** A csp of this user that does what the command was told. */
  | { readonly kind: 'usable'; readonly server: RunningServerRecord }
  | {
      readonly kind: 'other-settings'
      readonly server: RunningServerRecord
      readonly differences: readonly Difference[]
    }
  /** It has written its settings as this version does not read them. */
  | { readonly kind: 'other-version'; readonly server: RunningServerRecord }
  /** Its process runs, and nothing answers in time. */
  | { readonly kind: 'silent'; readonly server: RunningServerRecord }
  /** Something else answers at its address. */
  | { readonly kind: 'not-csp'; readonly server: RunningServerRecord }
  /** A csp at the configured port that has left no record for this user: nothing opens it without a key. */
  | { readonly kind: 'unknown'; readonly url: string }

/** The settings of a command, and its environment. */
export interface Asking {
  readonly loaded: Pick<LoadedConfig, 'config' | 'origins'>
  readonly environment: Environment
}

/** The csp that could search in the place of a command, and why not, where it cannot. */
export async function whatRuns(asking: Asking): Promise<WhatRuns> {
  const { config } = asking.loaded
  const servers = await runningServers(config.stateDir)
  if (servers.length === 0) return unknownAt(config)
  const found: WhatRuns[] = []
  for (const server of byFitness(servers, config)) {
    const state = await stateOf(server, asking)
    if (state.kind === 'usable') return state
    found.push(state)
  }
  return found[0] ?? { kind: 'none' }
}

/** The csp at the configured port, to a program that is to run on its gateway. */
export async function gatewayThatRuns({ loaded: { config }, environment }: Asking): Promise<WhatRuns> {
  const server = (await runningServers(config.stateDir)).find(({ port }) => port === config.port)
  if (!server) return { kind: 'none' }
  const there = readAnswerSettings(server.settings)
  if (!there) return { kind: 'other-version', server }
  const differences = differencesForGateway({ config, environment, token: server.token }, there)
  return differences.length > 0 ? { kind: 'other-settings', server, differences } : { kind: 'usable', server }
}

/** The one at the configured port first, and the sandbox last. */
function byFitness(servers: readonly RunningServerRecord[], { port }: LoadedConfig['config']) {
  const rank = (server: RunningServerRecord) => (server.sandbox ? 2 : 0) + (server.port === port ? 0 : 1)
  return servers.toSorted((left, right) => rank(left) - rank(right))
}

async function stateOf(server: RunningServerRecord, { loaded, environment }: Asking): Promise<WhatRuns> {
  const there = readAnswerSettings(server.settings)
  if (!there) return { kind: 'other-version', server }
  const sources: SettingSources = { config: loaded.config, environment, token: server.token }
  const differences = differencesForSearch(loaded, sources, there)
  if (differences.length > 0) return { kind: 'other-settings', server, differences }
  const liveness = await livenessAt(server.url, server.token)
  return { kind: liveness === 'csp' ? 'usable' : liveness === 'other' ? 'not-csp' : 'silent', server }
}

async function unknownAt({ host, port }: LoadedConfig['config']): Promise<WhatRuns> {
  if (port === 0) return { kind: 'none' }
  const url = localUrl(host, port)
  return (await livenessAt(url, undefined, strangerMs)) === 'csp' ? { kind: 'unknown', url } : { kind: 'none' }
}

/** Why a command does not use the csp that runs, in one line that names it; `undefined` where it does, or none runs. */
export function whyNotUsed(state: WhatRuns): string | undefined {
  switch (state.kind) {
    case 'none':
    case 'usable':
      return undefined
    case 'unknown':
      return `The csp at ${state.url} is not asked: it is another user's, or --state-dir is another there.`
    default:
      return `The csp at ${state.server.url} is not asked: ${reasonOf(state)}`
  }
}

/** Why a csp of this user is not used. */
export function reasonOf(state: Exclude<WhatRuns, { kind: 'none' | 'usable' | 'unknown' }>): string {
  switch (state.kind) {
    case 'other-settings':
      return `${listed(state.differences)}.`
    case 'other-version':
      return `it is csp ${state.server.version}, this is ${version}. ${csp} restart replaces it.`
    case 'silent':
      return `it does not answer. ${csp} restart starts it again.`
    case 'not-csp':
      return 'something else answers there.'
  }
}

function listed(differences: readonly Difference[]): string {
  const [first, second, ...others] = differences
  const more = others.length > 0 ? `, and ${others.map(({ name }) => name).join(', ')} differ` : ''
  return `${first?.text ?? ''}${second ? `; ${second.text}` : ''}${more}`
}

/** It is only looked whether one is there. */
const strangerMs = 300
