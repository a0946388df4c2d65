// Files that are imported as text: `with { type: 'text' }`.

declare module './browser/*.js' {
  const text: string
  export default text
}

declare module './browser/*.svg' {
  const text: string
  export default text
}

declare module './browser/*.css' {
  const text: string
  export default text
}
