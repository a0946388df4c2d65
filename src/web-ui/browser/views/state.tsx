import { PageHead } from '../parts.tsx'

export function StateView() {
  return (
    <div class="wide">
      <PageHead title="State" />
    </div>
  )
}
