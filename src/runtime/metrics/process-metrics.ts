import { readdirSync } from 'node:fs'
import { processFields } from '../../storage/is-running.ts'
import { type Family, gauge } from './families.ts'

/** This process and the processes of the CLI, as they are now. Nothing is measured between two scrapes. */
export async function processFamilies(): Promise<readonly Family[]> {
  const lagSeconds = await eventLoopLag()
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const children = descendants(process.pid)
  return [
    gauge('csp_process_resident_memory_bytes', 'Memory of csp itself.', [{ value: rss }]),
    gauge('csp_process_heap_bytes', 'Memory of csp that holds objects.', [{ value: heapUsed }]),
    {
      name: 'csp_process_cpu_seconds_total',
      help: 'Processor time of csp itself.',
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge('csp_process_start_time_seconds', 'When csp started.', [
      { value: Math.round(Date.now() / 1000 - process.uptime()) },
    ]),
    gauge('csp_event_loop_lag_seconds', 'How late a timer of csp ran, during this scrape.', [{ value: lagSeconds }]),
    gauge('csp_cli_processes', 'Processes of the CLI; on Linux.', [children && { value: children.length }]),
    gauge('csp_cli_resident_memory_bytes', 'Memory of the processes of the CLI; on Linux.', [
      children && { value: children.reduce((sum, { bytes }) => sum + bytes, 0) },
    ]),
  ]
}

async function eventLoopLag(): Promise<number> {
  const since = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1))
  return Math.max(0, performance.now() - since - 1) / 1000
}

interface Descendant {
  readonly pid: number
  readonly parent: number
  readonly bytes: number
}

/** All descendants of a process: the CLI, and nothing else that stays. Linux only. */
function descendants(root: number): readonly Descendant[] | undefined {
  if (process.platform !== 'linux') return undefined
  const all = pids().flatMap((pid) => statOf(pid) ?? [])
  const found: Descendant[] = []
  let parents = new Set([root])
  while (parents.size > 0) {
    const next = all.filter(({ parent }) => parents.has(parent))
    found.push(...next)
    parents = new Set(next.map(({ pid }) => pid))
  }
  return found
}

function pids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** A process that has ended in the meantime has none. */
function statOf(pid: number): Descendant | undefined {
  const fields = processFields(pid)
  return fields && { pid, parent: Number(fields[1]), bytes: Number(fields[21]) * pageBytes }
}

/** Assumes 4 KiB pages; larger pages make the figure too small. */
const pageBytes = 4096
