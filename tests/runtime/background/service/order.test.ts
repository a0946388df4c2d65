import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandRunner } from '../../../../src/runtime/background/service/command-runner.ts'
import { createLaunchd } from '../../../../src/runtime/background/service/launchd.ts'
import type { ServiceManager } from '../../../../src/runtime/background/service/service-manager.ts'
import { createSystemd } from '../../../../src/runtime/background/service/systemd.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-order-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const create = {
  systemd: (run: CommandRunner) => createSystemd(run, { HOME: home }),
  launchd: (run: CommandRunner) => createLaunchd(run, { HOME: home }, 501),
}

/** What each step has to find done, with `+` where the service's file is there. */
const expected: Readonly<Record<keyof typeof create, Readonly<Record<string, readonly string[]>>>> = {
  systemd: {
    install: ['+daemon-reload', '+enable', '+restart'],
    restart: ['+restart'],
    stop: ['+stop'],
    uninstall: ['+disable', 'daemon-reload', 'reset-failed'],
  },
  launchd: {
    install: ['bootout', '+enable', '+bootstrap'],
    restart: ['+kickstart'],
    stop: ['+bootout'],
    uninstall: ['+bootout'],
  },
}

test.each(Object.keys(create) as (keyof typeof create)[])(
  '%s is told one thing after the other, when the files are as it has to find them',
  async (name) => {
    let said: string[] = []
    let running = 0
    const run = async (_program: string, args: readonly string[]) => {
      const verb = args.find((word) => word !== '--user') ?? ''
      said.push(`${running > 0 ? 'beside another: ' : ''}${existsSync(manager.file) ? '+' : ''}${verb}`)
      running++
      const isThere = existsSync(manager.file)
      await Bun.sleep(5)
      if (existsSync(manager.file) !== isThere) said.push(`while ${verb} runs the file changes`)
      running--
      return { code: 0, said: '' }
    }
    const manager: ServiceManager = create[name](run)
    const plan = { program: { command: '/bin/node', args: [] }, environment: {}, logFile: join(home, 'log/csp.log') }
    for (const [step, verbs] of Object.entries(expected[name])) {
      said = []
      await (step === 'install' ? manager.install(plan) : manager[step as 'restart' | 'stop' | 'uninstall']())
      expect({ step, said, running }).toEqual({ step, said: [...verbs], running: 0 })
    }
    expect(existsSync(manager.file)).toBe(false)
  },
)
