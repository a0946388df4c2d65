import { PageHead } from '../parts.tsx'

export function EarlierView() {
  return (
    <div class="wide">
      <PageHead title="Earlier questions" />
    </div>
  )
}
