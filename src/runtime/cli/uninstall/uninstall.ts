import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '@csp/lib/errors'
import { stopServer } from '../../background/background.ts'
import { isOfService, runningServers } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { clientAddress, clientAddresses } from '../../client-files/addresses.ts'
import { hasCsp, takeOut } from '../../client-files/client-state.ts'
import { knownClients } from '../../client-files/known-clients.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp, installationKind } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { confirm } from '../confirm.ts'
import { ownFolders } from './own-folders.ts'

const definitions = {
  yes: { short: 'y', help: 'Do not ask' },
  keepConfig: { help: 'Keep the configuration and the keys' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp uninstall`: everything that csp has left on this machine. */
export const uninstall = defineCommand({
  name: 'uninstall',
  usage: '[FLAGS]',
  details:
    "Removes the service, the running csp, csp's entries in the files of clients, its state, cache, configuration and keys. It lists them and asks first. Other files in these folders are kept. To remove the program, run the command it prints.",
  examples: [`${csp} uninstall`, `${csp} uninstall --keep-config`, `${csp} uninstall --yes --json`],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  mendsConfig: true,
  run: runUninstall,
})

type UninstallCall = Invocation<typeof definitions>

/** One thing that is removed. */
interface Part {
  readonly what: string
  readonly path?: string | undefined
  run(): Promise<unknown>
}

async function runUninstall(call: UninstallCall): Promise<number> {
  const { shell, options, loaded } = call
  const say = (text: string) => {
    if (!options.json) shell.output.write(wrapped(`${text}\n`, shell.output))
  }
  if (loaded.problem)
    shell.errors.write(wrapped(`${loaded.problem}\nFolders that only this file names stay.\n`, shell.errors))
  const parts = await partsOf(call)
  const rest = restOf(call)
  if (parts.length > 0) say('This would be removed:')
  for (const part of parts) say(`  ${lineOf(part)}`)
  if (parts.length === 0) say('csp has left nothing here.')
  else if (!options.yes && !(await agrees(call))) {
    say('Nothing was changed.')
    return exitCodes.done
  }
  const removed: Part[] = []
  const problems: string[] = []
  for (const part of parts) {
    try {
      await part.run()
      removed.push(part)
    } catch (error) {
      problems.push(`${lineOf(part)}: ${messageOf(error)}`)
    }
  }
  if (removed.length > 0) say('Removed.')
  for (const problem of problems) shell.errors.write(wrapped(`Not removed: ${safeLine(problem)}\n`, shell.errors))
  for (const line of rest) say(line)
  const list = removed.map(({ what, path }) => ({ what, path: path ?? null }))
  if (options.json) shell.output.write(prettyJson({ removed: list, problems, left: rest }))
  return problems.length > 0 ? exitCodes.failed : exitCodes.done
}

async function agrees({ shell }: UninstallCall): Promise<boolean> {
  const instead = `Not a terminal: cannot prompt. ${csp} uninstall --yes does not ask.`
  return confirm(shell, 'Remove it?', { usual: 'no', instead })
}

/** In the order in which they go: first what would write the others again. */
async function partsOf(call: UninstallCall): Promise<readonly Part[]> {
  const { shell, loaded, options } = call
  const { stateDir } = loaded.config
  const manager = ownServiceManager(shell.environment)
  const servers = (await runningServers(stateDir)).filter((server) => !isOfService(server))
  return [
    ...(manager && existsSync(manager.file)
      ? [{ what: `the service of ${manager.name}`, path: manager.file, run: () => manager.uninstall() }]
      : []),
    ...servers.map((server) => ({
      what: `the csp that runs at ${server.url}, process ${server.pid}`,
      async run() {
        if ((await stopServer(server, false)) !== 'stopped') throw new Error(`It still runs: ${csp} stop --force`)
      },
    })),
    ...(await clientParts(call)),
    ...(await ownFolders(loaded, shell, options.keepConfig)).map(({ what, path, remove }) => ({
      what,
      path,
      run: remove,
    })),
  ]
}

async function clientParts(call: UninstallCall): Promise<readonly Part[]> {
  const { shell } = call
  const addresses = clientAddresses(call, await clientAddress(call.loaded, undefined))
  return knownClients(shell.environment, shell.directory).flatMap((client): readonly Part[] => {
    const { title, file } = client
    try {
      if (!hasCsp(client, addresses)) return []
    } catch {
      return []
    }
    const run = () => takeOut(client, addresses, shell.environment)
    return [{ what: `csp in the configuration of ${title}`, path: file, run }]
  })
}

function lineOf({ what, path }: Part): string {
  return path ? `${what}: ${path}` : what
}

/** The name of the Worker that `csp setup edge` has deployed. */
function workerIn(folder: string): string {
  const file = join(folder, 'wrangler.toml')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return /^name\s*=\s*["']([a-z0-9-]+)["']/m.exec(text)?.[1] ?? 'csp-edge'
}

/** The parts that stay, and the ways to remove them. */
function restOf({ loaded }: UninstallCall): readonly string[] {
  const program = {
    package: 'The program itself: npm uninstall -g claude-search-proxy',
    checkout: 'The program itself is the folder of the checkout.',
    binary: `The program itself: ${process.execPath}`,
  }[installationKind]
  const folder = join(dirname(loaded.path), 'edge')
  const edge = existsSync(folder)
    ? [`A Worker on Cloudflare is left in place. To delete it: npx wrangler delete ${workerIn(folder)}`]
    : []
  return [
    ...edge,
    program,
    'Left in place: what you wrote into other programs yourself, and the Claude Code CLI with its login.',
  ]
}
