import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documents, root } from './markdown.ts'

const guides = documents(['packages/*/README.md'])

test.each(guides.map(({ path }) => path))('the example of %s prints what it says', async (path) => {
  const code = guides.find((guide) => guide.path === path)?.fences.find(({ language }) => language === 'ts')?.code ?? ''
  const file = join(root, path, `../try-${process.pid}.ts`)
  try {
    writeFileSync(file, code)
    const run = Bun.spawn([process.execPath, file], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    const output = await new Response(run.stdout).text()
    expect(output.trimEnd()).toBe(
      code
        .match(/^\/\/(?: .*)?$/gm)
        ?.map((line) => line.slice(3))
        .join('\n') ?? '',
    )
  } finally {
    rmSync(file, { force: true })
  }
})
