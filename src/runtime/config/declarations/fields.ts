import { z } from 'zod'
import { backendFields } from './backends.ts'
import { cacheAndSpendingFields } from './cache-and-spending.ts'
import { gatewayFields } from './gateway.ts'
import { otherFields } from './other.ts'
import { pageFields } from './pages.ts'
import { searchingFields } from './searching.ts'
import { serverFields } from './server.ts'
import { tunnelFields } from './tunnel.ts'

/** Every setting, declared once, in the order in which help and docs show them, group by group. */
export const fields = z.object({
  ...serverFields,
  ...searchingFields,
  ...pageFields,
  ...cacheAndSpendingFields,
  ...backendFields,
  ...tunnelFields,
  ...gatewayFields,
  ...otherFields,
})
