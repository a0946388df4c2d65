import { Icon } from '../icons.tsx'
import { clock, duration } from '../words.ts'
import { isFailed, type RequestEntry, whatAsked, whoAsked } from './requests.ts'

/** One request as a sentence, which opens for its times and its call. */
export function RequestRow({ request }: { request: RequestEntry }) {
  const { at, ms, queued_ms: queued, upstream_ms: upstream, pages_ms: pages, own_ms: own, model, backend } = request
  const rows = [
    ['Waited', queued && duration(queued)],
    [
      backend === null || backend === 'claude' ? 'Claude' : backend,
      upstream && `${duration(upstream)}${model ? ` (${model})` : ''}`,
    ],
    ['Pages', pages && duration(pages)],
    ['csp', own && duration(own)],
    ['Id', request.id],
  ] as const
  return (
    <details class="request">
      <summary class={`req ${isFailed(request) ? 'bad' : ''}`}>
        <span class="at soft num">{clock(at)}</span>
        <span class="w">
          <b>{whoAsked(request)}</b> <span class="soft">{whatAsked(request)}</span>
        </span>
        <span class="num">{duration(ms)}</span>
        <Icon name="right" />
      </summary>
      <dl class="detail">
        {rows.map(([name, value]) =>
          value ? (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ) : null,
        )}
        <dt>Call</dt>
        <dd>
          <code>
            {request.method} {request.path}
          </code>{' '}
          {request.status} {request.code}
        </dd>
      </dl>
    </details>
  )
}
