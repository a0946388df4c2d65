import { about, choice, integer, list } from '../setting-types.ts'

const serving = { group: 'Server', commands: [] } as const

/** Addresses, keys and limits of the server. */
export const serverFields = {
  host: list('addresses such as 127.0.0.1, with commas between them', /^[^\s/]+$/, 1)
    .default(['127.0.0.1'])
    .register(about, {
      ...serving,
      hint: 'ADDRESSES',
      help: 'Addresses to listen on in addition to loopback, separated by commas; needs keys',
      commands: ['status'],
    }),
  port: integer(0, 65_535)
    .default(52_480)
    .register(about, {
      ...serving,
      hint: 'PORT',
      help: 'Port to listen on; 0 = any free port',
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
    .register(about, { ...serving, hint: 'HOSTS', help: 'Further host names under which clients may call csp' }),
  allowedOrigins: list('origins, such as https://example.org, with commas between them', /^https?:\/\/[^/]+$/)
    .default([])
    .register(about, { ...serving, hint: 'ORIGINS', help: 'Web origins that may call from a browser' }),
  jobs: integer(0, 100)
    .default(3)
    .register(about, { ...serving, hint: 'N', help: 'Most background jobs at once; 0 = no background jobs' }),
  page: choice('on', 'off')
    .default('on')
    .register(about, {
      ...serving,
      hint: 'on|off',
      help: 'Serve the page at /, where people search and see the state of csp',
    }),
}
