import { existsSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../../storage/replace-file.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Environment } from '../../shell/shell.ts'
import { createLogFile } from '../log-file.ts'
import type { CommandOutcome, CommandRunner } from './command-runner.ts'
import { definitionText, xmlText } from './definition-text.ts'
import { ServiceError, type ServiceManager, type ServicePlan } from './service-manager.ts'

const taskName = 'claude-search-proxy'

/** The manager of the user's tasks, on Windows. A task has no variables, so it runs a script that sets them. */
export function createTaskScheduler(run: CommandRunner, environment: Environment, stateDir: string): ServiceManager {
  const file = join(stateDir, 'service', 'csp.cmd')
  const definition = join(stateDir, 'service', 'task.xml')
  const schtasks = (...args: readonly string[]) => run('schtasks', args)
  return {
    name: 'task-scheduler',
    file,
    async install(plan) {
      const script = taskScript(plan)
      createLogFile(plan.logFile)
      await schtasks('/End', '/TN', taskName)
      await replaceFile(file, script)
      await replaceFile(definition, asUtf16(taskDefinition(file, userOf(environment))))
      demand(await schtasks('/Create', '/TN', taskName, '/XML', definition, '/F'), 'make')
      demand(await schtasks('/Run', '/TN', taskName), 'start')
    },
    async state() {
      // The columns of its tables are in the language of the user.
      const { code, said } = await schtasks('/Query', '/TN', taskName, '/XML')
      const isDisabled = /<Settings>[\s\S]*<Enabled>false<\/Enabled>[\s\S]*<\/Settings>/.test(said)
      return { isEnabled: code === 0 && !isDisabled, state: undefined }
    },
    async restart() {
      await schtasks('/End', '/TN', taskName)
      demand(await schtasks('/Run', '/TN', taskName), 'start')
    },
    async stop() {
      await schtasks('/End', '/TN', taskName)
    },
    async uninstall() {
      await schtasks('/End', '/TN', taskName)
      await schtasks('/Delete', '/TN', taskName, '/F')
      const removed = [file, definition].filter((path) => existsSync(path))
      for (const path of removed) await rm(path)
      await rmdir(dirname(file)).catch(() => {})
      return removed
    },
    hint: async () => undefined,
  }
}

/** Runs csp, and again after a failure; wrong settings (2) stay wrong. Throws a `UsageError` for what it cannot hold. */
export function taskScript({ program, environment, logFile }: ServicePlan): string {
  const words = [program.command, ...program.args].map((word) => `"${scriptText(word)}"`).join(' ')
  return [
    '@echo off',
    'chcp 65001 >nul',
    ...Object.entries(environment).map(([name, value]) => `set "${name}=${scriptText(value)}"`),
    ':again',
    `${words} >>"${scriptText(logFile)}" 2>&1`,
    'if %errorlevel% equ 0 exit /b 0',
    'if %errorlevel% equ 2 exit /b 2',
    'ping -n 6 127.0.0.1 >nul',
    'goto again',
    '',
  ].join('\r\n')
}

function scriptText(text: string): string {
  if (text.includes('"')) throw new UsageError(`A service of Windows cannot hold a quotation mark: ${text}`)
  return definitionText(text).replaceAll('%', '%%')
}

/**
 * The task: at each login of this user, with this user's rights. Task Scheduler on its own would end it after three days,
 * and not start it on battery.
 */
export function taskDefinition(script: string, user: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo><Description>claude-search-proxy: web search for AI clients</Description></RegistrationInfo>',
    `  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>${xmlText(user)}</UserId></LogonTrigger></Triggers>`,
    '  <Principals>',
    `    <Principal id="user"><UserId>${xmlText(user)}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>`,
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '  </Settings>',
    '  <Actions Context="user">',
    // Without a window.
    `    <Exec><Command>conhost.exe</Command><Arguments>--headless cmd.exe /d /c "${xmlText(script)}"</Arguments></Exec>`,
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}

/** As Task Scheduler writes tasks itself; of other encodings it may take letters of a name for those of a code page. */
function asUtf16(text: string): Uint8Array {
  return Buffer.from(`\ufeff${text}`, 'utf16le')
}

function userOf({ USERDOMAIN, USERNAME }: Environment): string {
  if (!USERNAME) throw new UsageError('USERNAME is not set, so csp cannot tell whose login starts the service.')
  return USERDOMAIN ? `${USERDOMAIN}\\${USERNAME}` : USERNAME
}

function demand({ code, said }: CommandOutcome, verb: string): void {
  if (code !== 0) throw new ServiceError(`Task Scheduler could not ${verb} the task: ${said || `exit code ${code}`}`)
}
