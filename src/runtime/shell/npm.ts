import { delimiter, dirname } from 'node:path'
import type { Environment } from './shell.ts'

/** The npm of this machine: on PATH, or beside the node that csp runs on. */
export function findNpm(environment: Environment): string | undefined {
  const node = environment['CSP_NODE']
  const folders = [environment['PATH'] ?? '', ...(node ? [dirname(node)] : [])]
  return Bun.which('npm', { PATH: folders.join(delimiter) }) ?? undefined
}

/** What npm needs of an environment: of its own variables those that may hold a secret are left out, too. */
export function npmEnvironment(environment: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => concernsNpm.test(name)))
}

const concernsNpm =
  /^(?:PATH|HOME|USERPROFILE|APPDATA|SystemRoot|ComSpec|TMPDIR|TEMP|LANG|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|npm_config_(?:registry|userconfig|globalconfig|cache|prefix|cafile))$/i
