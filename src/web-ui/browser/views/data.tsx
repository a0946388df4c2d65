// What csp keeps: answers in the background, and the pages that searches have found.

import { PageHead } from '../parts.tsx'
import { Jobs } from './jobs.tsx'
import { Memory } from './memory.tsx'

export function KeptView() {
  return (
    <div class="wide">
      <PageHead title="Data">What csp keeps on its computer.</PageHead>
      <Jobs />
      <Memory />
    </div>
  )
}
