// Lets `npx csp`, `npx claude-search-proxy` and `bunx csp` find this checkout's own command. Runs after an install in the checkout.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

if (existsSync(modules) && process.platform !== 'win32') {
  mkdirSync(`${modules}/.bin`, { recursive: true })
  for (const name of ['csp', 'claude-search-proxy']) {
    rmSync(`${modules}/.bin/${name}`, { force: true })
    symlinkSync('../../bin/csp.mjs', `${modules}/.bin/${name}`)
  }
}
