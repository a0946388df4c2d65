import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { metricValue, parseMetrics, type ScrapedFamily } from '../support/prometheus-text.ts'

// The alert rules and the dashboard, against the metrics of a true csp that has served one search.

const root = join(import.meta.dir, '../..')
const standIn = startSandbox()
let csp: CspProcess
let metrics: ReadonlyMap<string, ScrapedFamily>

beforeAll(async () => {
  csp = await startCsp({ standInUrl: standIn.url, flags: ['--rate', '0'] })
  expect((await fetch(`${csp.url}/v1/search?q=bees`)).status).toBe(200)
  metrics = parseMetrics(await (await fetch(`${csp.url}/metrics`)).text())
})

afterAll(async () => {
  await csp.stop()
  await standIn.stop()
})

const rulesSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ summary: z.string() }).loose() }),
      ),
    }),
  ),
})
const panelSchema = z.object({
  id: z.number(),
  type: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ expr: z.string() })).default([]),
})
const dashboardSchema = z.object({ panels: z.array(panelSchema), templating: z.unknown() })

const alerts = rulesSchema
  .parse(YAML.parse(read('integrations/prometheus/alerts.yml')))
  .groups.flatMap(({ rules }) => rules)
const dashboard = dashboardSchema.parse(JSON.parse(read('integrations/grafana/csp.json')))
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

describe('each metric that is named', () => {
  test('in an alert rule is one of a csp that has served a search', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(8)
    expect(unknownIn(alerts.map(({ expr }) => expr))).toEqual([])
  })

  test('in the dashboard is one of a csp that has served a search', () => {
    expect(queries.length).toBeGreaterThanOrEqual(25)
    expect(unknownIn(queries)).toEqual([])
    expect(unknownIn([JSON.stringify(dashboard.templating)])).toEqual([])
  })

  test('in the guide is one, and the guide names all of them', () => {
    const guide = read('docs/monitoring.md')
    expect(unknownIn([guide])).toEqual([])
    expect([...metrics.keys()].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
    expect(alerts.filter(({ alert }) => !guide.includes(alert))).toEqual([])
  })
})

test('each label that a rule or a panel asks for is one that its metric has', () => {
  const wrong = [...alerts.map(({ expr }) => expr), ...queries].flatMap((expr) =>
    [...expr.matchAll(/(csp_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) => {
      const labels = [...selector.matchAll(/(\w+)(?:!=|=~|!~|=)"/g)].map(([, label = '']) => label)
      const samples = familyOf(name)?.samples ?? []
      // Prometheus adds the instance. What has no series yet cannot be checked here.
      return labels
        .filter((label) => label !== 'instance' && samples.length > 0 && samples.every((one) => !(label in one.labels)))
        .map((label) => `${name} has no ${label}`)
    }),
  )
  expect(wrong).toEqual([])
})

test('no panel of the dashboard lies on another', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24)
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
})

test('the metrics of a true csp tell of its search and of its CLI', () => {
  const route = { route: '/v1/search', dialect: 'native', status: '2xx' }
  expect(metricValue(metrics, 'csp_requests_total', route)).toBe(1)
  expect(metricValue(metrics, 'csp_searches_total', { backend: 'claude' })).toBe(1)
  expect(metricValue(metrics, 'csp_backend_signed_in', { backend: 'claude' })).toBe(1)
  expect(metricValue(metrics, 'csp_breaker_state', { backend: 'claude', state: 'closed' })).toBe(1)
  const phase = { phase: 'upstream', backend: 'claude' }
  expect(metricValue(metrics, 'csp_request_phase_seconds_sum', phase)).toBeGreaterThan(0)
  if (process.platform === 'linux') expect(metricValue(metrics, 'csp_cli_processes')).toBeGreaterThanOrEqual(1)
})

test('both files are packed', () => {
  expect(manifest.files).toContain('integrations')
})

/** The metrics that a text names and that there are not. */
function unknownIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => text.match(/\bcsp_[a-z_]+\b/g) ?? [])
  return [...new Set(names)].filter((name) => !familyOf(name))
}

/** A query names the parts of a histogram. */
function familyOf(name: string): ScrapedFamily | undefined {
  return metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
