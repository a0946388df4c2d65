// Files that are imported as text: `with { type: 'text' }`.

declare module './browser/*.svg' {
  const text: string
  export default text
}

declare module './style/*.css' {
  const text: string
  export default text
}

declare module './made/*.txt' {
  const text: string
  export default text
}
