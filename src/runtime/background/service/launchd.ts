import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeUTF8 } from 'entities'
import { replaceFile } from '../../../storage/replace-file.ts'
import { homeFolder } from '../../config/home.ts'
import type { Environment } from '../../shell/shell.ts'
import { createLogFile } from '../log-file.ts'
import type { CommandOutcome, CommandRunner } from './command-runner.ts'
import { definitionText, ServiceError, type ServiceManager, type ServicePlan } from './service-manager.ts'

const label = 'com.github.claude-search-proxy'

/** The manager of the user's agents, on macOS. */
export function createLaunchd(run: CommandRunner, environment: Environment, uid: number): ServiceManager {
  const file = join(homeFolder(environment), 'Library/LaunchAgents', `${label}.plist`)
  const domain = `gui/${uid}`
  const target = `${domain}/${label}`
  const launchctl = (...args: readonly string[]) => run('launchctl', args)
  const load = async () => {
    await launchctl('enable', target)
    let outcome = await launchctl('bootstrap', domain, file)
    // An agent that was just unloaded may still be ending.
    for (let tries = 0; outcome.code !== undefined && outcome.code !== 0 && tries < maxTries; tries++) {
      await Bun.sleep(retryMs)
      outcome = await launchctl('bootstrap', domain, file)
    }
    demand(outcome, file)
  }
  return {
    name: 'launchd',
    file,
    async install(plan) {
      const text = launchAgent(plan)
      createLogFile(plan.logFile)
      await launchctl('bootout', target)
      await replaceFile(file, text)
      await load()
    },
    async state() {
      const { code, said } = await launchctl('print', target)
      const [, state] = /^\s*state = (\w[\w ]*)$/m.exec(said) ?? []
      return { isEnabled: existsSync(file), state: code === 0 ? state : 'not loaded' }
    },
    async restart() {
      const { code } = await launchctl('kickstart', '-k', target)
      if (code !== 0) await load()
    },
    async stop() {
      await launchctl('bootout', target)
    },
    async uninstall() {
      await launchctl('bootout', target)
      const removed = [file].filter((path) => existsSync(path))
      for (const path of removed) await rm(path)
      return removed
    },
    hint: async () => undefined,
  }
}

const maxTries = 10
const retryMs = 500

/** The property list of an agent. Throws a `UsageError` for a text that it cannot hold. */
export function launchAgent({ program, environment, logFile }: ServicePlan): string {
  const string = (text: string) => `<string>${xmlText(text)}</string>`
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${xmlText(name)}</key>${string(value)}`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${string(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...[program.command, ...program.args].map((word) => `    ${string(word)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...variables,
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ExitTimeOut</key><integer>15</integer>',
    `  <key>StandardOutPath</key>${string(logFile)}`,
    `  <key>StandardErrorPath</key>${string(logFile)}`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/** The text within an element of XML. Throws as `definitionText` does. */
function xmlText(text: string): string {
  return escapeUTF8(definitionText(text))
}

function demand({ code, said }: CommandOutcome, file: string): void {
  if (code === 0) return
  throw new ServiceError(
    `The service is written to ${file}, but launchd did not load it: ${said || `exit code ${code}`}\nIt is loaded when you log in at the screen of this Mac.`,
  )
}
