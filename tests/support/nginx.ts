import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program; `undefined` where there is none. Debian has it in /usr/sbin, which is not on every PATH. */
export const nginx = Bun.which('nginx') ?? ['/usr/sbin/nginx'].find(existsSync)

export interface RunningNginx {
  stop(): Promise<void>
}

/** Starts nginx, in one process and a scratch folder, with these `server` blocks. It may take a moment to listen. */
export function startNginx(servers: string): RunningNginx {
  const folder = mkdtempSync(join(tmpdir(), 'csp-nginx-'))
  const file = join(folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${paths.join(' ')} ${servers} }`,
  )
  const child = Bun.spawn([nginx ?? '', '-c', file, '-p', folder, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return {
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
