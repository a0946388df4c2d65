import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseJson } from '@csp/lib/json'
import { parseStoredKeys, printStoredKeys } from '../../config/stored-keys.ts'
import { CommandError, UsageError } from '../../config/usage-error.ts'
import { createKey } from '../../server/key-file.ts'
import { csp } from '../../shell/program.ts'
import type { ProgramEnd } from '../../shell/run-program.ts'
import type { Shell } from '../../shell/shell.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'
import { confirm } from '../confirm.ts'
import { edgeConfig, keepChoices, noNamespace } from './edge-config.ts'
import { findWrangler, isWrangler, mustSucceed, tick, type Wrangler } from './wrangler.ts'

export interface EdgeCall extends Call {
  readonly options: {
    /** The Worker's name, if not csp-edge. */
    readonly name: string | undefined
    readonly dryRun: boolean
    readonly renew: boolean
    readonly yes: boolean
  }
}

/** Deploys csp as a Worker on the user's Cloudflare account, step by step. Resolves to the exit code. */
export async function setupEdge({ shell, loaded, options }: EdgeCall): Promise<number> {
  const name = workerName(options.name)
  const folder = join(dirname(loaded.path), 'edge')
  // Fails at once where the Worker cannot be built.
  edgeConfig({ name, namespaceId: noNamespace })
  const wrangler = await needWrangler(shell)
  if (options.dryRun) return rehearse(shell, wrangler, name)
  await needAccount(shell, wrangler, options.yes)
  await needConsent(shell, name, options.yes)
  const namespaceId = await needNamespace(shell, wrangler)
  const file = writeConfig(folder, name, namespaceId)
  const url = await deploy(shell, wrangler, file)
  const { keyFile } = loaded.config
  const key = await putSecrets({ shell, wrangler, file, folder, keyFile, isRenewed: options.renew })
  shell.output.write(lastWords(url, key))
  return exitCodes.done
}

const namespaceTitle = 'csp-cache'

function workerName(name = 'csp-edge'): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,52}[a-z0-9])?$/.test(name)) return name
  throw new UsageError('--name must be letters a to z, digits and dashes, as in csp-edge.')
}

async function needWrangler(shell: Shell): Promise<Wrangler> {
  const found = await findWrangler(shell.environment, shell.directory)
  if (!isWrangler(found)) {
    const tried = found.map((problem) => `  ${problem}`).join('\n')
    throw new CommandError(
      `No working wrangler (Cloudflare's CLI) was found:\n${tried}\nInstall it: npm install -g wrangler@4`,
    )
  }
  tick(shell, `wrangler ${found.version} (${found.name})`)
  return found
}

/** Everything that needs no account: whether the Worker builds, and its size. */
async function rehearse(shell: Shell, wrangler: Wrangler, name: string): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'csp-edge-'))
  try {
    const file = writeConfig(scratch, name, noNamespace)
    const args = ['deploy', '--dry-run', '--outdir', join(scratch, 'out'), '--config', file]
    const { output } = mustSucceed(await wrangler.run(args), 'The trial build')
    tick(shell, `the Worker builds: ${/gzip: ([\d.]+ \w+)/.exec(output)?.[1] ?? 'size unknown'} compressed`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  shell.output.write(
    [
      'Nothing was changed. Without --dry-run these follow, on your Cloudflare account:',
      `  wrangler login                             if you are not signed in`,
      `  wrangler kv namespace create ${namespaceTitle}     if it does not exist`,
      `  wrangler deploy                            the Worker ${name}`,
      '  wrangler secret bulk                       CSP_API_KEYS and CSP_CONNECT_SECRET, generated, by standard input',
      '',
    ].join('\n'),
  )
  return exitCodes.done
}

async function needAccount(shell: Shell, wrangler: Wrangler, isAgreed: boolean): Promise<void> {
  const who = async () => accountOf(await wrangler.run(['whoami', '--json']))
  let account = await who()
  if (!account && !isAgreed) {
    shell.output.write(
      wrapped(
        'You are not signed in to Cloudflare. An account costs nothing; wrangler opens the browser.\n',
        shell.output,
      ),
    )
    // Without a terminal no browser can be used, and wrangler would wait for it.
    if ((await shell.ask('Press Enter to sign in. ')) !== undefined) {
      await wrangler.converse(['login'])
      account = await who()
    }
  }
  if (!account) {
    throw new CommandError(
      'Not signed in to Cloudflare. Run wrangler login, or set CLOUDFLARE_API_TOKEN, and try again.',
    )
  }
  tick(shell, `signed in to Cloudflare${account === true ? '' : ` as ${account}`}`)
}

/** The signed-in account; `true` where it has no name, as with a token. */
function accountOf({ code, output }: ProgramEnd): string | true | undefined {
  if (code !== 0) return undefined
  const body = parseJson(output)
  if (typeof body !== 'object' || body === null || ('loggedIn' in body && body.loggedIn === false)) return undefined
  return 'email' in body && typeof body.email === 'string' ? body.email : true
}

async function needConsent(shell: Shell, name: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return
  shell.output.write(
    `This creates or updates a Worker "${name}" with two Durable Object classes and a KV namespace "${namespaceTitle}".\n`,
  )
  const instead = 'Not a terminal: cannot prompt. --yes skips the question, --dry-run shows the steps.'
  if (!(await confirm(shell, 'Continue?', { usual: 'no', instead }))) throw new CommandError('Nothing was changed.')
}

async function needNamespace(shell: Shell, wrangler: Wrangler): Promise<string> {
  const find = async () =>
    namespaceIn(mustSucceed(await wrangler.run(['kv', 'namespace', 'list']), 'Listing KV').output)
  const there = await find()
  if (!there)
    mustSucceed(await wrangler.run(['kv', 'namespace', 'create', namespaceTitle]), 'Creating the KV namespace')
  const id = there ?? (await find())
  if (!id)
    throw new CommandError(`The KV namespace ${namespaceTitle} was created, but is not listed. Try again in a minute.`)
  tick(shell, `KV namespace ${namespaceTitle}${there ? ', which existed' : ''}`)
  return id
}

function namespaceIn(output: string): string | undefined {
  const list = parseJson(output.slice(output.indexOf('[')))
  if (!Array.isArray(list)) return undefined
  const ours = list.find((entry) => entry?.title === namespaceTitle)
  return typeof ours?.id === 'string' && /^[0-9a-f]{32}$/.test(ours.id) ? ours.id : undefined
}

function writeConfig(folder: string, name: string, namespaceId: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'wrangler.toml')
  const earlier = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  writeFileSync(file, keepChoices(edgeConfig({ name, namespaceId }), earlier))
  return file
}

/** Deploys, and finds the address. Without keys the Worker rejects every request. */
async function deploy(shell: Shell, wrangler: Wrangler, file: string): Promise<string> {
  const report = join(dirname(file), 'deploy.ndjson')
  rmSync(report, { force: true })
  const variables = { WRANGLER_OUTPUT_FILE_PATH: report }
  const { output } = mustSucceed(await wrangler.run(['deploy', '--config', file], { variables }), 'The deploy')
  const told = existsSync(report) ? readFileSync(report, 'utf8') : ''
  rmSync(report, { force: true })
  const url = /https:\/\/[a-z0-9.-]+/.exec(told)?.[0] ?? /https:\/\/[a-z0-9.-]+\.workers\.dev/.exec(output)?.[0]
  if (!url)
    throw new CommandError(
      `The Worker is deployed, but wrangler did not print its address. Its output:\n${output.trim()}`,
    )
  tick(shell, `deployed to ${url}; its settings are in ${file}`)
  return url
}

interface PutSecretsOptions {
  readonly shell: Shell
  readonly wrangler: Wrangler
  /** The configuration of the Worker. */
  readonly file: string
  /** The folder on this machine for its copy of the secret. */
  readonly folder: string
  /** The named keys of this machine. */
  readonly keyFile: string
  /** Whether existing secrets are replaced. */
  readonly isRenewed: boolean
}

/** Sends the Worker its secrets over standard input. Existing ones stay, unless they are renewed. Resolves to the new key for clients, if one was made. */
export async function putSecrets(options: PutSecretsOptions): Promise<string | undefined> {
  const { shell, wrangler, file, folder, isRenewed } = options
  const secretFile = join(folder, 'connect-secret')
  const list = mustSucceed(await wrangler.run(['secret', 'list', '--config', file]), 'Listing the secrets')
  const isThere = (name: string) => !isRenewed && list.output.includes(`"${name}"`)
  const key = isThere('CSP_API_KEYS') ? undefined : createKey()
  // The Worker's copy is of no use without the one on this machine.
  const isPaired = isThere('CSP_CONNECT_SECRET') && existsSync(secretFile)
  const connectSecret = isPaired ? undefined : createKey()
  const namedKeys = namedKeysIn(options.keyFile)
  const fresh = {
    // The keys of this machine also work on the edge, until they are revoked.
    ...(namedKeys !== undefined && { CSP_KEYS: namedKeys }),
    ...(namedKeys === undefined && list.output.includes('"CSP_KEYS"') && { CSP_KEYS: null }),
    ...(key !== undefined && { CSP_API_KEYS: key }),
    ...(connectSecret !== undefined && { CSP_CONNECT_SECRET: connectSecret }),
  }
  const names = Object.keys(fresh)
  if (names.length === 0) {
    tick(shell, 'the secrets are already set')
    return undefined
  }
  // If csp ends before the file is written, the next run creates a new pair.
  if (connectSecret !== undefined) rmSync(secretFile, { force: true })
  const input = JSON.stringify(fresh)
  mustSucceed(await wrangler.run(['secret', 'bulk', '--config', file], { input }), 'Setting the secrets')
  if (connectSecret !== undefined) writeFileSync(secretFile, `${connectSecret}\n`, { mode: 0o600 })
  tick(shell, `secrets set: ${names.join(', ')}`)
  return key
}

/** The keys of `csp keys` on one line, as hashes. `undefined` if there are none. */
function namedKeysIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const keys = parseStoredKeys(readFileSync(path, 'utf8'))
  if (!keys) throw new CommandError(`The key file ${path} is damaged. Repair or move it, and try again.`)
  return keys.length > 0 ? JSON.stringify(JSON.parse(printStoredKeys(keys))) : undefined
}

function lastWords(url: string, key: string | undefined): string {
  return [
    '',
    'On this machine, to let searches run here:',
    `  ${csp} connect ${url}`,
    'In your clients:',
    `  base URL ${url}, bare or with /v1`,
    key ? `  key      ${key}   (shown this once)` : '  key      as before; --renew makes a new one',
    'Try it:',
    `  curl '${url}/v1/search?q=hello' -H 'Authorization: Bearer ${key ?? 'KEY'}'`,
    '',
  ].join('\n')
}
