import type { OwnEndpoint } from './own-endpoint.ts'

/** Answers a scraper. */
export const metrics: OwnEndpoint = {
  reference: { summary: 'Metrics for Prometheus', reply: 'text/plain' },
  isHere: ({ metrics }) => metrics !== undefined,
  mount(app, paths, { metrics }) {
    if (!metrics) return
    app.on('GET', paths, async (context) => context.body(await metrics.format(), 200, { 'content-type': metrics.type }))
  },
}
