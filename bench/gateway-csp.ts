import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CspProcess, startCsp } from '../tests/support/csp-process.ts'

/** Starts a csp whose gateway has this upstream, both as it is and translated. `program`: of another checkout. */
export function startGatewayCsp(upstreamUrl: string, standInUrl: string, program?: string): Promise<CspProcess> {
  const home = mkdtempSync(join(tmpdir(), 'csp-bench-'))
  mkdirSync(join(home, '.config/csp'), { recursive: true })
  const gateway = [
    { name: 'native', url: upstreamUrl, shape: 'native' },
    { name: 'chat', url: `${upstreamUrl}/v1`, shape: 'compatible' },
  ]
  writeFileSync(join(home, '.config/csp/config.json'), JSON.stringify({ gateway }))
  return startCsp({ standInUrl, home, flags: ['--rate', '0', '--cache-ttl', '0'], ...(program && { program }) })
}
