import type { Element } from '../tree/nodes.ts'
import { textWithin } from './within.ts'

/** A formula in MathML as TeX, or undefined where it has an element that is not known here. */
export function texOf(math: Element): string | undefined {
  const writer = new TexWriter()
  const tex = writer.all(math).replace(/ {2,}/g, ' ').trim()
  return writer.isKnown && tex !== '' ? tex : undefined
}

class TexWriter {
  isKnown = true
  #elements = 0

  all(element: Element): string {
    return [...element.children].map((child) => this.of(child)).join('')
  }

  of(element: Element | undefined): string {
    if (!element) return ''
    if (++this.#elements > maxElements) this.isKnown = false
    if (!this.isKnown) return ''
    const name = element.localName
    if (groups.has(name))
      return element.children.length === 0 ? letters(textWithin(element, maxText)) : this.all(element)
    switch (name) {
      case 'mi':
        return identifier(textWithin(element, maxText).trim())
      case 'mn':
        return letters(textWithin(element, maxText).trim())
      case 'mo':
        return letters(textWithin(element, maxText).trim())
      case 'mtext':
        return said(textWithin(element, maxText))
      case 'ms':
        return said(`"${textWithin(element, maxText)}"`)
      case 'mspace':
        return ' '
      case 'mfrac':
        return `\\frac${this.#braced(element, 0)}${this.#braced(element, 1)}`
      case 'msqrt':
        return `\\sqrt{${this.all(element)}}`
      case 'mroot':
        return `\\sqrt[${this.#part(element, 1)}]${this.#braced(element, 0)}`
      case 'msup':
        return `${this.#base(element)}^${this.#short(element, 1)}`
      case 'msub':
        return `${this.#base(element)}_${this.#short(element, 1)}`
      case 'msubsup':
      case 'munderover':
        return `${this.#base(element)}_${this.#short(element, 1)}^${this.#short(element, 2)}`
      case 'munder':
        return `${this.#base(element)}_${this.#short(element, 1)}`
      case 'mover':
        return this.#over(element)
      case 'mfenced':
        return `${element.getAttribute('open') ?? '('}${[...element.children].map((child) => this.of(child)).join(element.getAttribute('separators')?.trim().slice(0, 1) ?? ',')}${element.getAttribute('close') ?? ')'}`
      case 'mtable':
        return `\\begin{matrix}${[...element.children].map((row) => this.of(row)).join(' \\\\ ')}\\end{matrix}`
      case 'mtr':
      case 'mlabeledtr':
        return [...element.children].map((cell) => this.of(cell)).join(' & ')
      case 'annotation':
      case 'annotation-xml':
      case 'mphantom':
      case 'none':
      case 'mprescripts':
        return ''
      default:
        this.isKnown = false
        return ''
    }
  }

  #part(element: Element, index: number): string {
    return this.of(element.children[index]).trim()
  }

  #braced(element: Element, index: number): string {
    return `{${this.#part(element, index)}}`
  }

  #short(element: Element, index: number): string {
    const part = this.#part(element, index)
    return /^[a-z\d]$/i.test(part) ? part : `{${part}}`
  }

  #base(element: Element): string {
    const base = this.#part(element, 0)
    return /^(?:\\?[a-z]+|\d+|.)$/i.test(base) || /^\W$/.test(base) ? base : `{${base}}`
  }

  #over(element: Element): string {
    const accent = accents[textWithin(element.children[1] ?? element, 4).trim()]
    return accent ? `\\${accent}${this.#braced(element, 0)}` : `${this.#base(element)}^${this.#short(element, 1)}`
  }
}

const maxElements = 3000
const maxText = 200
const groups: ReadonlySet<string> = new Set(
  'math mrow mstyle mpadded merror menclose semantics mtd mmultiscripts'.split(' '),
)
const accents: Readonly<Record<string, string>> = {
  '¯': 'bar',
  '‾': 'bar',
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '→': 'vec',
  '⃗': 'vec',
  '˙': 'dot',
  '¨': 'ddot',
}

function identifier(text: string): string {
  if (text.length < 2) return letters(text)
  if (functions.has(text)) return `\\${text} `
  return /^[a-z]+$/i.test(text) ? `\\mathrm{${text}}` : letters(text)
}

const functions: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim limsup liminf max min sup inf det dim gcd ker deg arg hom Pr'.split(
    ' ',
  ),
)

function said(text: string): string {
  const plain = text.replace(/[{}\\$]/g, '')
  return plain.trim() === '' ? ' ' : `\\text{${plain}}`
}

function letters(text: string): string {
  return [...text].map((letter) => (letter in signs ? `\\${signs[letter]} ` : (escaped[letter] ?? letter))).join('')
}

const escaped: Readonly<Record<string, string>> = {
  '{': '\\{',
  '}': '\\}',
  '%': '\\%',
  '&': '\\&',
  '#': '\\#',
  '−': '-',
  '\u2061': '',
  '\u2062': ' ',
  '\u2063': ' ',
  '\u2064': '+',
  '\u00a0': ' ',
  '\\': '\\backslash ',
  $: '\\$',
}

const signs: Readonly<Record<string, string>> = Object.fromEntries(
  `α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho
  σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma
  Υ Upsilon Φ Phi Ψ Psi Ω Omega × times ÷ div ⋅ cdot · cdot ± pm ∓ mp ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ∝ propto ∞ infty
  ∂ partial ∇ nabla ∑ sum ∏ prod ∫ int ∮ oint √ surd ∈ in ∉ notin ⊂ subset ⊆ subseteq ⊃ supset ∪ cup ∩ cap ∅ emptyset ∀ forall
  ∃ exists ¬ neg ∧ land ∨ lor → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇔ Leftrightarrow ↦ mapsto … ldots ⋯ cdots ⋮ vdots
  ⋱ ddots ⟨ langle ⟩ rangle ‖ Vert ℝ mathbb{R} ℕ mathbb{N} ℤ mathbb{Z} ℚ mathbb{Q} ℂ mathbb{C} ℏ hbar ℓ ell ∘ circ † dagger ′ prime`
    .split(/\s+/)
    .flatMap((word, index, all) => (index % 2 === 0 ? [[word, all[index + 1] ?? '']] : [])),
)
