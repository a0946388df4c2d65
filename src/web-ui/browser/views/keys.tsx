import { PageHead } from '../parts.tsx'

export function KeysView() {
  return (
    <div class="wide">
      <PageHead title="Keys" />
    </div>
  )
}
