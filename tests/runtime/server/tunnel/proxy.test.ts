import { expect, test } from 'bun:test'
import { proxyFor } from '../../../../src/runtime/server/tunnel/proxy.ts'

const edge = 'https://edge.example.com'
const proxy = 'http://proxy.example.org:3128'

test.each([
  [edge, { HTTPS_PROXY: proxy }],
  [edge, { https_proxy: proxy, HTTPS_PROXY: 'http://another:1' }],
  [edge, { ALL_PROXY: proxy, HTTP_PROXY: 'http://another:1' }],
  [edge, { HTTPS_PROXY: 'proxy.example.org:3128' }],
  ['http://127.0.0.1:80', { HTTP_PROXY: proxy }],
  [edge, { HTTPS_PROXY: proxy, NO_PROXY: 'example.org, edge.example.com:8443' }],
  ['https://anedge.example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'edge.example.com' }],
])('the way to %s goes through the proxy that the environment names: %j', (address, environment) => {
  expect(proxyFor(address, environment)).toBe(proxy)
})

test.each([
  [edge, {}],
  [edge, { HTTP_PROXY: proxy }],
  [edge, { HTTPS_PROXY: '' }],
  ...['*', 'edge.example.com', '.example.com', '*.example.com', 'EXAMPLE.com', 'a,b edge.example.com:443'].map(
    (list) => [edge, { HTTPS_PROXY: proxy, NO_PROXY: list }] as const,
  ),
  ['http://[::1]:8787', { HTTP_PROXY: proxy, no_proxy: '::1' }],
  ['http://[::1]:8787', { HTTP_PROXY: proxy, no_proxy: '[::1]:8787' }],
] as const)('the way to %s needs no proxy where the environment says so: %j', (address, environment) => {
  expect(proxyFor(address, environment)).toBeUndefined()
})

test.each(['socks5://me:a-password@proxy:1080', 'http://me:a-password@'])(
  'a proxy that cannot be used is a mistake that says which variable holds it, and not its password',
  (value) => {
    const wrong = () => proxyFor(edge, { HTTPS_PROXY: value })
    expect(wrong).toThrow('HTTPS_PROXY must be an address such as')
    expect(wrong).not.toThrow('a-password')
  },
)
