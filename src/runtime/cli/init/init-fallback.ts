import { withSetting } from '../../config/config-text.ts'
import { docsPage } from '../../shell/program.ts'
import { changeConfigFile } from '../config/write-config.ts'
import { askYesOrNo } from '../confirm.ts'
import { heading, type InitCall, say } from './init-call.ts'

/**
 * Offers a backend that needs no key for when Claude cannot search. Only where nobody has chosen backends yet, and never
 * without a person's yes, since questions then go to a third party.
 */
export async function offerFreeBackend(call: InitCall): Promise<void> {
  const { shell, loaded, options } = call
  if (options.yes || loaded.origins.backends !== 'default') return
  heading(call, 'When Claude cannot search')
  const question =
    '  Once your plan is used up, searches fail. Ask Parallel (search.parallel.ai) then? It needs no account; it sees those questions, and its terms apply.'
  if ((await askYesOrNo(shell, question, { usual: 'no' })) !== true) return
  const backends = [...loaded.config.backends, 'parallel-free']
  await changeConfigFile(call, (path, text) => withSetting(path, text, 'backends', backends))
  say(call, `  Written to ${loaded.path}: backends ${backends.join(', ')}. ${docsPage('backends.md')}`)
}
