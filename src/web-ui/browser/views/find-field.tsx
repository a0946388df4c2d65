import { Icon } from '../icons.tsx'

interface FindFieldProps {
  readonly label: string
  readonly words: string
  readonly onWords: (words: string) => void
  /** How wide it is: a class of the style. */
  readonly width: 'grow' | 'full'
}

/** A field whose words choose among the rows below it while they are typed. */
export function FindField({ label, words, onWords, width }: FindFieldProps) {
  return (
    <label class={`field ${width}`}>
      <Icon name="search" />
      <span class="vh">{label}</span>
      <input
        type="search"
        placeholder={label}
        autocomplete="off"
        value={words}
        onInput={({ currentTarget }) => onWords(currentTarget.value)}
      />
    </label>
  )
}
