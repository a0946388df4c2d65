import type { MonitoringOptions } from '../../src/jobs/monitors.ts'

/** For watches of which none is a caller's. */
export const unmonitored: MonitoringOptions = {
  post: () => Promise.reject(new Error('Nothing is sent.')),
  write: () => Promise.reject(new Error('Nothing is written.')),
  checkAddress: async () => {},
  mayRun: async () => true,
}
