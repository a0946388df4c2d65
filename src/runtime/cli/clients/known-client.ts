import type { ClientAddress } from '../../../web-ui/client-settings.ts'
import type { Program } from '../../shell/program.ts'
import type { ClientFile } from './client-file.ts'
import type { ClientRequest } from './client-requests.ts'

/** How a client can reach csp. */
export interface ClientRoads {
  /** A csp that serves. */
  readonly address: ClientAddress
  /** A csp of its own, that the client starts. */
  readonly program: Program
  readonly claudeBin: string | undefined
}

/** A program that searches with csp once its configuration says so. */
export interface KnownClient {
  /** As `csp setup` and `--clients` take it; also the name of its key, and of its page below docs/clients. */
  readonly id: string
  readonly title: string
  /** Where its configuration is. Absent where only the user knows, who names it by `--file`. */
  readonly file?: string | undefined
  /** What `--file` names, for a client without a usual file. */
  readonly fileHint?: string | undefined
  /** Why csp can write nothing for it. */
  readonly unwritable?: string | undefined
  /** What is there where the program is installed: its file, or a folder of its own. */
  readonly traces: readonly string[]
  /** Whether it goes to a csp that serves, and needs a key where that has keys. */
  readonly isServed: boolean
  /** How it searches. */
  readonly request: ClientRequest
  /** The files of a client whose configuration is this file, and what csp wants in them. */
  files(file: string, roads: ClientRoads): readonly Omit<ClientFile, 'title'>[]
  /** What to do by hand, and what to know. */
  steps?(roads: ClientRoads): readonly string[]
}
