// What csp keeps: answers in the background, and the pages that searches have found.

import { useState } from 'preact/hooks'
import { PageHead } from '../parts.tsx'
import { Jobs } from './jobs.tsx'
import { Memory } from './memory.tsx'

export function KeptView() {
  // What stands below the jobs comes after them, so that nothing moves.
  const [isKnown, setKnown] = useState(false)
  return (
    <div class="wide">
      <PageHead title="Data">What csp keeps on its computer.</PageHead>
      <Jobs onKnown={() => setKnown(true)} />
      {isKnown && <Memory />}
    </div>
  )
}
