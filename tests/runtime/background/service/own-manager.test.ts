import { expect, test } from 'bun:test'
import type { CommandRunner } from '../../../../src/runtime/background/service/command-runner.ts'
import { ownServiceManager } from '../../../../src/runtime/background/service/own-manager.ts'

/** What a manager of a system is called, and the first program that it runs. */
async function managerOn(platform: NodeJS.Platform) {
  const own = process.platform
  const calls: string[] = []
  const run: CommandRunner = async (program, args) => {
    calls.push([program, ...args].join(' '))
    return { code: 0, said: '' }
  }
  Object.defineProperty(process, 'platform', { value: platform })
  try {
    const manager = ownServiceManager({ HOME: '/home/jo' }, run)
    await manager?.stop()
    return [manager?.name, manager?.file, ...calls]
  } finally {
    Object.defineProperty(process, 'platform', { value: own })
  }
}

const agent = 'com.github.claude-search-proxy'

test.each<[NodeJS.Platform, readonly (string | undefined)[]]>([
  ['linux', ['systemd', '/home/jo/.config/systemd/user/csp.service', 'systemctl --user stop csp']],
  [
    'darwin',
    ['launchd', `/home/jo/Library/LaunchAgents/${agent}.plist`, `launchctl bootout gui/${process.getuid?.()}/${agent}`],
  ],
  ['win32', [undefined, undefined]],
  ['freebsd', [undefined, undefined]],
])('on %s services are managed by its own manager', async (platform, expected) => {
  expect(await managerOn(platform)).toEqual([...expected])
})
