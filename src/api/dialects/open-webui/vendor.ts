import { defineVendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

export const openWebui = defineVendor({
  name: 'open-webui',
  title: 'Open WebUI',
  base: '/open-webui',
  formatError: messageError,
  prefixes: withV1('/open-webui'),
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/open-webui/search'), { POST: 'openWebuiSearch' }],
    [withV1('/open-webui/loader'), { POST: 'openWebuiLoader' }],
  ],
})
