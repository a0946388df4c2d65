import { PageHead } from '../parts.tsx'

export function ClientsView() {
  return (
    <div class="wide">
      <PageHead title="Clients" />
    </div>
  )
}
