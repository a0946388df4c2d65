/** Variables of a csp whose gateway has one upstream of this shape, for every model. */
export const upstreamSettings = (url: string, shape: string) => ({
  CSP_GATEWAY: JSON.stringify([{ name: 'upstream', url, shape, key: 'a-key-of-csp', models: { '*': 'm' } }]),
})
