/** The address of csp for a client. */
export interface ClientAddress {
  readonly url: string
  /** Absent if csp requires none. */
  readonly key?: string | undefined
}

/** A csp that a client starts itself. */
export interface ClientProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** How a client can reach csp. */
export interface ClientAddresses {
  /** A csp that serves. */
  readonly address: ClientAddress
  readonly program: ClientProgram
  readonly claudeBin?: string | undefined
  /** The command with lasting paths, for programs that are not started from a terminal. */
  readonly command?: readonly string[] | undefined
  /** The command that the user types for csp. */
  readonly csp: string
  /** The time limit of a search. */
  readonly timeoutSeconds: number
  /** Node's `process.platform`. */
  readonly platform: string
}

/** The list item whose member has this value, or the item that equals it if no member is named. */
export interface ListItem {
  readonly member?: string | undefined
  readonly value: string
}

/** The path of a value in a configuration. */
export type Place = readonly (string | ListItem)[]

/** A value that a client needs in its configuration. */
export interface Setting {
  readonly place: Place
  /** If `undefined`, csp writes nothing and removes what the client has put there for csp. */
  readonly value: unknown
  /** Decides from the present value and its parent whether to write it. Absent: always. */
  when?(present: unknown, around: unknown): boolean
  /** Whether `--undo` removes it even if changed. Absent: only if it is what csp wrote or is named `csp`. */
  readonly isOurs?: true | undefined
}

/** What csp writes into one file of a client. */
export interface SettingsFile {
  /** The name of a file next to the client's main file. Absent for the main file. */
  readonly beside?: string | undefined
  readonly format: 'json' | 'json5' | 'yaml' | 'toml' | 'env'
  readonly settings: readonly Setting[]
}

/** Folders of a machine; paths use `/`. */
export interface Places {
  readonly home: string
  /** The current folder. */
  readonly directory: string
  /** Node's `process.platform`. */
  readonly platform: string
  variable(name: string): string | undefined
  /** Where command-line programs keep their files. */
  configFolder(name: string): string
  /** Where desktop programs keep their files. */
  applicationFolder(name: string): string
}

/** Where a client keeps its configuration. */
export interface ClientLocation {
  readonly file: string
  /** A file or folder that exists if the program is installed. */
  readonly trace: string
  /** Whether this is one of several possible files, so that it counts only if it exists. */
  readonly isOneOfMany?: true | undefined
}

/** Editors and coding agents, assistants, and servers. */
export type ClientGroup = 'coding' | 'assistant' | 'server'

/** A text to copy, and the file it belongs in or where to type it. */
export interface ClientSnippet {
  readonly client: string
  readonly place: string
  readonly text: string
  /** Its name for `csp setup`, where csp can set it up. */
  readonly setup?: string | undefined
}

/** How a client searches: by MCP, by a csp that it starts itself, or by the request that its source code sends. */
export type ClientRequest = McpRequest | ProgramRequest | HttpRequest

interface ProgramRequest {
  readonly kind: 'program'
  readonly patienceMs?: undefined
}

interface McpRequest {
  readonly kind: 'mcp'
  /** How long the client waits. */
  readonly patienceMs?: number | undefined
  /** The headers of a client without a field for a key. */
  readonly headers?: ((address: ClientAddress) => Readonly<Record<string, string>>) | undefined
}

/** Whether a client uses a running csp, and so needs a key if that has keys. */
export function isServed({ request }: { readonly request: ClientRequest }): boolean {
  return request.kind !== 'program'
}

export interface HttpRequest {
  readonly kind: 'http'
  /** The vendor of the API. */
  readonly api: string
  readonly patienceMs?: number | undefined
  search(address: ClientAddress, query: string): Request
  /** The addresses of the pages in a reply. */
  found(reply: unknown): readonly string[]
  /** Whether it reads pages through csp. */
  readonly readsPages?: true | undefined
}

/** All that csp knows about one client program. */
export interface ClientManifest {
  /** Its name in `csp setup` and `--clients`, of its key, and of its page in docs/clients. */
  readonly id: string
  readonly title: string
  /** Its group on the page. */
  readonly group: ClientGroup
  /** Where its configuration is. Absent if the user must name it with `--file`. */
  where?(places: Places): ClientLocation
  /** Its file in words, if the path on Linux would mislead. */
  readonly place?: string | undefined
  /** What `--file` names, for a client without a usual file. */
  readonly fileHint?: string | undefined
  /** Why csp cannot write its configuration. */
  readonly unwritable?: string | undefined
  /** How it searches. */
  readonly request: ClientRequest
  /** The settings that csp writes. */
  files(addresses: ClientAddresses): readonly SettingsFile[]
  /** Whether only the backup shows that csp wrote its file. */
  readonly isKnownByCopy?: true | undefined
  /** The same program with csp's own plugin. */
  readonly byPlugin?: ClientManifest | undefined
  /** Manual steps and hints. */
  steps?(addresses: ClientAddresses): readonly string[]
  /** What the page shows, if it differs from the files. */
  snippet?(address: ClientAddress): Omit<ClientSnippet, 'client'>
}
