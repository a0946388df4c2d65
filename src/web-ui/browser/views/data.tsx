import { PageHead } from '../parts.tsx'

export function KeptView() {
  return (
    <div class="wide">
      <PageHead title="Data" />
    </div>
  )
}
