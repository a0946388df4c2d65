/** A metric as a scraper reads it. */
export interface ScrapedFamily {
  readonly type: string
  readonly help: string
  readonly samples: readonly ScrapedSample[]
}

export interface ScrapedSample {
  /** With the suffix of a histogram's part. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Reads the text format 0.0.4 as strictly as Prometheus does, and more: each family has its HELP and TYPE first and its
 * samples next to them, no series comes twice, and a histogram's buckets grow up to its count. Throws for the first line
 * that breaks a rule.
 */
export function parseMetrics(text: string): ReadonlyMap<string, ScrapedFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.')
  const families = new Map<string, ScrapedFamily & { readonly samples: ScrapedSample[] }>()
  const series = new Set<string>()
  let help: RegExpExecArray | null = null
  let current: string | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const refuse = (why: string) => new Error(`${why}: ${line}`)
    if (line.startsWith('# HELP ')) {
      help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/.exec(line)
      if (!help) throw refuse('No name and text')
    } else if (line.startsWith('# TYPE ')) {
      const [, name = '', type = ''] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
      if (name === '' || help?.[1] !== name) throw refuse('Not behind its HELP')
      if (families.has(name)) throw refuse('The family comes twice')
      if (type === 'counter' && !name.endsWith('_total')) throw refuse('A counter is named _total')
      families.set(name, { type, help: help[2] ?? '', samples: [] })
      current = name
    } else {
      const sample = parseSample(line)
      const family = current === undefined ? undefined : families.get(current)
      const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      if (!family || !suffixes.some((suffix) => sample.name === `${current}${suffix}`))
        throw refuse('Not in its family')
      const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted())}`
      if (series.has(id)) throw refuse('The series comes twice')
      series.add(id)
      family.samples.push(sample)
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkBuckets(name, samples)
  return families
}

/** The value of one series; `undefined` where there is none. */
export function metricValue(
  families: ReadonlyMap<string, ScrapedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...families.values()].flatMap((family) => family.samples)
  return samples.find((sample) => sample.name === name && hasLabels(sample, labels))?.value
}

function hasLabels(sample: ScrapedSample, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => sample.labels[name] === value)
}

function parseSample(line: string): ScrapedSample {
  const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
  const pattern = new RegExp(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${label}(?:,${label})*)\\})? ([-+0-9.eInf]+)$`)
  const [, name = '', pairs = '', value = ''] = pattern.exec(line) ?? []
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
  if (name === '' || value === '' || Number.isNaN(number)) throw new Error(`No sample: ${line}`)
  const found = [...pairs.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/g)]
  const labels = Object.fromEntries(found.map(([, key = '', text = '']) => [key, text]))
  if (Object.keys(labels).length !== found.length) throw new Error(`A label comes twice: ${line}`)
  return { name, labels, value: number }
}

function checkBuckets(name: string, samples: readonly ScrapedSample[]): void {
  for (const { labels, value: count } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && hasLabels(sample, labels))
    const values = buckets.map(({ value }) => value)
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)))
    const isSorted = (list: readonly number[]) => list.every((value, at) => at === 0 || value >= (list[at - 1] ?? 0))
    if (!isSorted(values) || !isSorted(bounds) || bounds.at(-1) !== Number.POSITIVE_INFINITY || values.at(-1) !== count)
      throw new Error(`The buckets of ${name} are wrong: ${JSON.stringify(buckets)}`)
  }
}
