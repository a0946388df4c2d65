// A registry on loopback with two packages: the built csp and the Bun of this checkout. So `npx`, `bunx` and `npm -g` can
// be tried as users do, from an empty folder and without the network.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { findBun } from '../bin/find-bun.mjs'

/** Serves them until it is closed. `tarball`: of csp; `folder`: for what is made. */
export async function startRegistry({ tarball, manifest, folder }) {
  const { version } = JSON.parse(readFileSync(new URL('../node_modules/bun/package.json', import.meta.url), 'utf8'))
  const bun = { name: 'bun', version, bin: { bun: 'bin/bun.exe', bunx: 'bin/bunx.exe' } }
  const packages = new Map([
    ['claude-search-proxy', { manifest, file: tarball }],
    ['bun', { manifest: bun, file: packBun(bun, folder) }],
  ])
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url.slice(1))
    const isFile = name.endsWith('.tgz')
    const found = packages.get(isFile ? name.slice(0, -'.tgz'.length) : name)
    if (!found) return response.writeHead(404).end('{}')
    const content = readFileSync(found.file)
    if (isFile) return response.end(content)
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const dist = { tarball: `http://127.0.0.1:${server.address().port}/${name}.tgz`, integrity }
    const { version: latest } = found.manifest
    const body = { name, 'dist-tags': { latest }, versions: { [latest]: { ...found.manifest, dist } } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Bun as one package, with the program that its install script would put there. */
function packBun(manifest, folder) {
  const content = join(folder, 'bun-package/package')
  mkdirSync(join(content, 'bin'), { recursive: true })
  for (const name of ['bun.exe', 'bunx.exe']) cpSync(findBun(), join(content, 'bin', name))
  writeFileSync(join(content, 'package.json'), JSON.stringify(manifest))
  const file = join(folder, 'bun.tgz')
  execFileSync('tar', ['-C', join(folder, 'bun-package'), '-c', '-I', 'gzip -1', '-f', file, 'package'])
  return file
}
