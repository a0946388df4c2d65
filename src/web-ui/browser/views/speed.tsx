import { duration } from '../words.ts'
import { kindNames, type Usual } from './requests.ts'

const parts = [
  ['w1', 'Waiting its turn', 'queued_ms'],
  ['w2', 'Claude searches and writes', 'upstream_ms'],
  ['w3', 'Pages load', 'pages_ms'],
  ['w4', 'csp itself', 'own_ms'],
] as const

/** The usual time of each kind of search, as a bar of its parts. */
export function Speed({ usual }: { usual: readonly Usual[] }) {
  const longest = Math.max(1, ...usual.map(({ ms }) => ms))
  return (
    <div class="card">
      <div class="speed">
        {usual.map((each) => {
          const said = parts.flatMap(([, name, field]) => (each[field] ? `${name} ${duration(each[field])}` : []))
          return (
            <>
              <span class="l">{kindNames[each.kind]}</span>
              <span class="bar" role="img" aria-label={[`${duration(each.ms)} in all`, ...said].join(', ')}>
                {parts.map(([color, , field]) => (
                  <i key={color} class={color} style={{ width: `${((each[field] ?? 0) / longest) * 100}%` }} />
                ))}
              </span>
              <span class="num">{duration(each.ms)}</span>
            </>
          )
        })}
      </div>
      <p class="legend">
        {parts.map(([color, name]) => (
          <span key={color}>
            <i class={color} />
            {name}
          </span>
        ))}
      </p>
    </div>
  )
}
