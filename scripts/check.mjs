// `npm run check`: types, style and code that nothing uses. All at the same time; what fails is printed whole.
import { spawn } from 'node:child_process'

const checks = [
  // Each checker more works out much of the same again.
  'tsc -p . --checkers 1',
  'tsc -p src/web-ui/browser',
  'biome check .',
  'knip',
]

/** Prints what it says, once it has ended. */
async function check(command) {
  // On Windows, programs of packages are scripts, which need a shell.
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  const code = await new Promise((resolve) => child.on('close', resolve))
  console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${command}`)
  if (code !== 0) console.log(said)
  return code === 0
}

const results = await Promise.all(checks.map(check))
process.exitCode = results.every(Boolean) ? 0 : 1
