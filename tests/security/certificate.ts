import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate for a name, and others, that it signed itself. */
export function certificate(
  name: string,
  others: readonly string[] = [],
): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'csp-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = [
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=${[name, ...others].map((each) => `DNS:${each}`)}`,
  ]
  const files = ['-keyout', key, '-out', cert]
  // A key on a curve is made in a tenth of the time of one of RSA.
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  Bun.spawnSync(['openssl', 'req', '-x509', ...kind, '-nodes', '-days', '2', ...files, ...subject])
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
  return made
}
