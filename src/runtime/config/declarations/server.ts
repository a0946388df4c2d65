import { about, choice, integer, list } from '../setting-types.ts'

const serving = { group: 'Server', commands: [] } as const

/** Where csp listens, and for whom. */
export const serverFields = {
  host: list('addresses such as 127.0.0.1, with commas between them', /^[^\s/]+$/, 1)
    .default(['127.0.0.1'])
    .register(about, {
      ...serving,
      hint: 'ADDRESSES',
      help: 'Addresses to listen on, separated by commas, besides loopback; beyond it only with keys',
      commands: ['status'],
    }),
  port: integer(0, 65_535)
    .default(52_480)
    .register(about, {
      ...serving,
      hint: 'PORT',
      help: 'Port to listen on; 0 takes a free one',
      commands: ['status', 'stop', 'setup', 'run'],
    }),
  apiKeys: list('keys without spaces, with commas between them', /^[\x21-\x7e]+$/)
    .default([])
    .register(about, {
      ...serving,
      hint: 'KEYS',
      help: 'Keys that clients must send, separated by commas',
      commands: ['status', 'setup'],
      secret: true,
    }),
  allowedHosts: list('host names with commas between them')
    .default([])
    .register(about, { ...serving, hint: 'HOSTS', help: 'Host names that clients may use besides loopback' }),
  allowedOrigins: list('origins, such as https://example.org, with commas between them', /^https?:\/\/[^/]+$/)
    .default([])
    .register(about, { ...serving, hint: 'ORIGINS', help: 'Web origins that may call from a browser' }),
  jobs: integer(0, 100)
    .default(3)
    .register(about, { ...serving, hint: 'N', help: 'Requests answered in the background at once; 0 refuses them' }),
  page: choice('on', 'off')
    .default('on')
    .register(about, { ...serving, hint: 'on|off', help: 'The page for people at /, with search and state' }),
}
