// Before scripts that need a development tool: says which install brings them, where this checkout has the small one.
import { existsSync } from 'node:fs'

if (!existsSync(new URL('../node_modules/typescript/package.json', import.meta.url))) {
  console.error('This checkout was installed without the development tools. Get them with: npm install')
  process.exit(1)
}
