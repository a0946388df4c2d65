import { z } from 'zod'
import { isHomeName, minSecretLength } from '../../../tunnel/login.ts'
import { about, address, secret } from '../setting-types.ts'

const tunnel = { group: 'Tunnel', commands: ['connect'] } as const

/** It becomes the value of a header. */
const token = () => secret().regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')

/** The way to an edge. */
export const tunnelFields = {
  connectUrl: address('https://csp-edge.example.org')
    .optional()
    .register(about, {
      ...tunnel,
      hint: 'URL',
      help: 'Address of the edge that csp serve connects to; csp connect takes it as its argument',
    }),
  connectName: z
    .string()
    .refine(isHomeName, 'must be up to 64 letters, digits, dots, dashes and underscores')
    .optional()
    .register(about, { ...tunnel, hint: 'NAME', help: 'Name of this machine at the edge, in place of its host name' }),
  connectSecret: secret()
    .refine(
      (value) => value.startsWith('@') || value.length >= minSecretLength,
      `must have ${minSecretLength} characters or more`,
    )
    .optional()
    .register(about, {
      ...tunnel,
      hint: 'SECRET',
      help: 'Secret for the login at the edge, which has the same one; @FILE reads it from a file',
      secret: true,
      isFlag: false,
    }),
  accessToken: token()
    .regex(/^[^:]+:[^:]+$/, 'must be ID:SECRET')
    .optional()
    .register(about, {
      ...tunnel,
      hint: 'ID:SECRET',
      help: 'Service token, if Cloudflare Access protects the edge',
      secret: true,
      isFlag: false,
    }),
}
