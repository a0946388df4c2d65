// `npm run repository -- OWNER/NAME`, once, before csp is published: puts the repository into package.json, which the
// release, the messages of csp and the generated parts of the docs follow.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRepository } from '../src/runtime/shell/distribution.ts'

const root = join(import.meta.dir, '..')
const [given = ''] = Bun.argv.slice(2)
const repository = parseRepository(given)
if (!repository) {
  console.error('Name the repository on GitHub: npm run repository -- OWNER/NAME')
  process.exit(2)
}
const setting = `github:${repository.owner}/${repository.name}`
for (const name of ['package.json', 'integrations/openclaw/package.json']) {
  const file = join(root, name)
  const text = readFileSync(file, 'utf8').replace(/\n {2}"repository": .*/, '')
  writeFileSync(file, text.replace(/(\n {2}"license": .*)/, `$1\n  "repository": ${JSON.stringify(setting)},`))
}
const { exitCode } = Bun.spawnSync(['npm', 'run', 'docs'], { cwd: root, stdout: 'ignore', stderr: 'inherit' })
if (exitCode !== 0) process.exit(1)
console.log(`The repository is ${repository.url}. Look at git diff, then commit.`)
