import { speak, speakPages } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

export const openWebui: Vendor = {
  name: 'open-webui',
  title: 'Open WebUI',
  base: '/open-webui',
  formatError: messageError,
  prefixes: withV1('/open-webui'),
  routes: routesWithV1('/open-webui/search', {
    POST: speak(async () => (await import('./search.ts')).openWebuiSearch),
  }),
  pageRoutes: routesWithV1('/open-webui/loader', {
    POST: speakPages(async () => (await import('./loader.ts')).openWebuiLoader),
  }),
}
