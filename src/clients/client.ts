/** The address of csp for a client. */
export interface ClientAddress {
  readonly url: string
  /** Absent where csp requires none. */
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
  /** How a program that is no child of a terminal calls csp, by paths that stay. */
  readonly command?: readonly string[] | undefined
  /** What the user types to call csp. */
  readonly csp: string
  /** How long a search may take. */
  readonly timeoutSeconds: number
  /** As node names it. */
  readonly platform: string
}

/** The item of a list that has this member, or that is this text where no member is named. */
export interface ListItem {
  readonly member?: string | undefined
  readonly value: string
}

/** Where a value stands in a configuration. */
export type Place = readonly (string | ListItem)[]

/** A value that a client needs in its configuration. */
export interface Setting {
  readonly place: Place
  /** With `undefined` csp writes nothing there, and takes out what the client has put there for csp. */
  readonly value: unknown
  /** Whether it is written, by what is there now and what that is part of. Absent: always. */
  when?(present: unknown, around: unknown): boolean
  /** Whether it is taken out whatever it says by then. Absent: only where it is what csp wrote, or named `csp`. */
  readonly isOurs?: true | undefined
}

/** What csp writes into one file of a client. */
export interface SettingsFile {
  /** The name of a file beside the client's main file. Absent for that one. */
  readonly beside?: string | undefined
  readonly format: 'json' | 'json5' | 'yaml' | 'env'
  readonly settings: readonly Setting[]
}

/** Folders of a machine, with `/` between their names. */
export interface Places {
  readonly home: string
  /** Where csp was called. */
  readonly directory: string
  /** As node names it. */
  readonly platform: string
  variable(name: string): string | undefined
  /** Where programs of the terminal keep their files. */
  configFolder(name: string): string
  /** Where programs with a window keep their files. */
  applicationFolder(name: string): string
}

/** Where a client keeps its configuration. */
export interface ClientLocation {
  readonly file: string
  /** What is there where the program is installed: its file, or a folder of its own. */
  readonly trace: string
  /** Whether this is one file of several that there may be, so that one which is not there is not meant. */
  readonly isOneOfMany?: true | undefined
}

/** Editors and agents that write code, assistants for people, and what runs as a server. */
export type ClientGroup = 'coding' | 'assistant' | 'server'

/** A text to copy, and the file that holds it, or where to type it. */
export interface ClientSnippet {
  readonly client: string
  readonly place: string
  readonly text: string
}

/** How a client searches: by MCP, also with a csp that it starts itself, or by a request as its source sends it. */
export type ClientRequest = McpRequest | ProgramRequest | HttpRequest

interface ProgramRequest {
  readonly kind: 'program'
  readonly patienceMs?: undefined
}

interface McpRequest {
  readonly kind: 'mcp'
  /** How long the client waits. */
  readonly patienceMs?: number | undefined
  /** The headers of a client that has no field for a key. */
  readonly headers?: ((address: ClientAddress) => Readonly<Record<string, string>>) | undefined
}

/** Whether a client goes to a csp that serves, and needs a key where that has keys. */
export function isServed({ request }: { readonly request: ClientRequest }): boolean {
  return request.kind !== 'program'
}

export interface HttpRequest {
  readonly kind: 'http'
  /** Whose API it is. */
  readonly api: string
  readonly patienceMs?: number | undefined
  search(address: ClientAddress, query: string): Request
  /** The addresses of the pages that a reply names. */
  found(reply: unknown): readonly string[]
  /** How it reads pages, where csp does that for it. */
  readonly pages?: PagesRequest | undefined
}

interface PagesRequest {
  read(address: ClientAddress, urls: readonly string[]): Request
  /** The texts that came. */
  texts(reply: unknown): readonly string[]
}

/** A program that searches with csp once its configuration says so: all that csp knows of it. */
export interface ClientManifest {
  /** As `csp setup` and `--clients` take it; also the name of its key, and of its page below docs/clients. */
  readonly id: string
  readonly title: string
  /** Where the page shows it. */
  readonly group: ClientGroup
  /** Where its configuration is. Absent where only the user knows, who names it by `--file`. */
  where?(places: Places): ClientLocation
  /** The name of its file in words, where the path on Linux would mislead. */
  readonly place?: string | undefined
  /** What `--file` names, for a client without a usual file. */
  readonly fileHint?: string | undefined
  /** Why csp can write nothing for it. */
  readonly unwritable?: string | undefined
  /** How it searches. */
  readonly request: ClientRequest
  /** What csp wants in its files. */
  files(addresses: ClientAddresses): readonly SettingsFile[]
  /** Whether nothing in its file shows that csp wrote it, so that only the copy from before csp does. */
  readonly isKnownByCopy?: true | undefined
  /** The same program by a plugin of ours. */
  readonly byPlugin?: ClientManifest | undefined
  /** What to do by hand, and what to know. */
  steps?(addresses: ClientAddresses): readonly string[]
  /** What the page shows, where that is not what stands in its files. */
  snippet?(address: ClientAddress): Omit<ClientSnippet, 'client'>
}
