/** The text format 0.0.4 of Prometheus, which every scraper reads. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  /** Behind the name of the family, for the parts of a histogram. */
  readonly suffix?: string | undefined
  readonly labels?: Labels | undefined
  readonly value: number
}

/** One metric with all its label sets. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** A metric that is read when it is asked for. What is `undefined` is left out. */
export function gauge(name: string, help: string, samples: readonly (Sample | undefined)[]): Family {
  return { name, help, type: 'gauge', samples: samples.filter((sample) => sample !== undefined) }
}

/** The first of two values for one label set stands: a scraper refuses a whole reply with a series that comes twice. */
export function formatFamilies(families: readonly Family[]): string {
  return families.map(formatFamily).join('')
}

function formatFamily({ name, help, type, samples }: Family): string {
  const values = new Map<string, number>()
  for (const { suffix = '', labels = {}, value } of samples) {
    const series = `${name}${suffix}${formatLabels(labels)}`
    if (!values.has(series)) values.set(series, value)
  }
  const lines = [...values].map(([series, value]) => `${series} ${formatValue(value)}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
