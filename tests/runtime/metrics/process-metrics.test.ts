import { expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eventually } from '@csp/testing/eventually'
import { processFamilies } from '../../../src/runtime/metrics/process-metrics.ts'
import { testNeeding } from '../../support/needs.ts'
import { descendantsOf, killListed } from '../../support/processes.ts'

/** The value of each metric, by its name. */
async function values(): Promise<Record<string, number | undefined>> {
  const families = await processFamilies()
  return Object.fromEntries(families.map(({ name, samples }) => [name, samples[0]?.value]))
}

test('the memory, the processor time and the start of this process have their units', async () => {
  const memory = spyOn(process, 'memoryUsage').mockImplementation((() => ({ rss: 5000, heapUsed: 300 })) as never)
  const cpu = spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: 1_500_000, system: 250_000 }))
  const uptime = spyOn(process, 'uptime').mockImplementation(() => 100.4)
  const date = spyOn(Date, 'now').mockImplementation(() => 1_800_000_000_000)
  try {
    expect(await values()).toMatchObject({
      csp_process_resident_memory_bytes: 5000,
      csp_process_heap_bytes: 300,
      csp_process_cpu_seconds_total: 1.75,
      csp_process_start_time_seconds: 1_799_999_900,
    })
  } finally {
    for (const each of [memory, cpu, uptime, date]) each.mockRestore()
  }
})

test.each([
  [3500, 2.499],
  [1000, 0],
  [1000.5, 0],
])('a timer of a millisecond that ends at %d is late by %d seconds', async (end, late) => {
  const times = [1000, end]
  const clock = spyOn(performance, 'now').mockImplementation(() => times.shift() ?? end)
  try {
    expect((await values())['csp_event_loop_lag_seconds']).toBeCloseTo(late, 9)
  } finally {
    clock.mockRestore()
  }
})

testNeeding('Linux', process.platform === 'linux')(
  'the CLI is all that this process has started, with its memory',
  async () => {
    const parent = Bun.spawn(['/bin/sh', '-c', 'sleep 60 & sleep 60; wait'])
    try {
      await eventually(() => descendantsOf(parent.pid).length === 2)
      const own = descendantsOf(process.pid)
      const pages = own.map(({ pid }) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]))
      const bytes = pages.reduce((sum, each) => sum + each, 0) * 4096
      const found = await values()
      expect(found['csp_cli_processes']).toBe(own.length)
      // The kernel counts it roughly in one of the two places.
      expect(found['csp_cli_resident_memory_bytes']).toBeGreaterThan(bytes / 2)
      expect(found['csp_cli_resident_memory_bytes']).toBeLessThan(bytes * 2)
    } finally {
      for (const { pid } of descendantsOf(parent.pid)) killListed(pid)
      parent.kill('SIGKILL')
    }
  },
)
