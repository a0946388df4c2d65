// What the bundle for Claude Desktop runs, on the node that Claude Desktop brings: it starts `csp mcp` and stays between
// the two. A csp that is installed comes first; otherwise npx fetches the version that this bundle was made for.
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const isWindows = process.platform === 'win32'
const home = homedir()
// A program with a window has a short PATH.
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...[join(home, '.local/bin'), join(home, '.npm-global/bin'), join(home, '.volta/bin')],
  ...(isWindows ? [join(process.env.APPDATA ?? home, 'npm')] : ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin']),
].filter(Boolean)

function find(name) {
  const paths = folders.map((folder) => join(folder, isWindows ? `${name}.cmd` : name))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const csp = find('claude-search-proxy')
const npx = find('npx')
const version = process.env.CSP_VERSION ?? 'latest'
if (!csp && !npx) {
  console.error('csp needs Node.js 20 or newer with npx. Get it from https://nodejs.org, then restart Claude Desktop.')
  process.exit(1)
}
const command = csp ?? npx
const args = csp ? ['mcp'] : ['-y', `claude-search-proxy@${version}`, 'mcp']
const env = { ...process.env, PATH: [dirname(command), ...folders].join(delimiter) }
// Windows runs a .cmd in a shell alone.
const child = spawn(isWindows ? `"${command}"` : command, args, { stdio: 'inherit', env, shell: isWindows })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  console.error(`csp could not be started: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code) => process.exit(code ?? 1))
