// csp in a Cloudflare Worker of your own, over Brave Search and another csp. `csp setup edge` deploys more: homes that
// dial out, budgets, the gateway. Variables: CSP_KEY, BRAVE_KEY, HOME_URL, HOME_KEY; a KV namespace bound as CACHE.
import { brave, createApp, remote } from 'claude-search-proxy'

export default {
  /** @param {Request} request */
  fetch(request, env, context) {
    const backends = [
      ...(env.BRAVE_KEY ? [brave({ key: env.BRAVE_KEY, url: env.BRAVE_URL })] : []),
      ...(env.HOME_URL ? [remote({ url: env.HOME_URL, key: env.HOME_KEY })] : []),
    ]
    // A Worker lets no request wait for the work of another, so each has an app of its own. What they share is in KV.
    const csp = createApp({
      backends,
      keys: [env.CSP_KEY],
      store: {
        get: (key) => env.CACHE.get(key),
        set: (key, text, ttlSeconds) => env.CACHE.put(key, text, { expirationTtl: Math.max(60, ttlSeconds) }),
      },
      waitUntil: (work) => context.waitUntil(work),
    })
    return csp.fetch(request)
  },
}
