import { spawn } from 'node:child_process'
import type { Environment } from './shell.ts'

/**
 * Opens a page in the user's browser, as a program with the address as its argument: no shell reads it. Resolves to
 * whether a program was found for it.
 */
export async function openInBrowser(
  url: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const address = URL.parse(url)
  if (!address || !/^https?:$/.test(address.protocol)) return false
  const PATH = environment['PATH'] ?? ''
  const [found] = openers(platform).flatMap(([name, ...args]) => {
    const program = Bun.which(name, { PATH })
    return program === null ? [] : [{ program, args }]
  })
  if (!found) return false
  const { program, args } = found
  const opened = new Promise<boolean>((resolve, reject) => {
    const child = spawn(program, [...args, address.href], { detached: true, stdio: 'ignore', env: environment })
    // The first browser may run on; a program that cannot open the page says so at once.
    const timer = setTimeout(() => resolve(true), maxWaitMs)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
    child.unref()
  })
  // Some errors are thrown at once, such as that of a file that is no program.
  return opened.catch(() => false)
}

const maxWaitMs = 2000

function openers(platform: NodeJS.Platform): readonly (readonly [string, ...string[]])[] {
  if (platform === 'darwin') return [['open']]
  // `start` is a word of the shell; this is what it does.
  if (platform === 'win32') return [['rundll32.exe', 'url.dll,FileProtocolHandler']]
  return [['xdg-open'], ['wslview'], ['gio', 'open']]
}
