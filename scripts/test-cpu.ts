// `npm test -- --cpu [FILES]`: runs each test file alone, and prints the processor time that it and its processes took, the
// largest first. On a machine with other work that time changes less than what a clock shows.

const [, , ...given] = process.argv
const files = [...new Bun.Glob('tests/**/*.test.ts').scanSync('.')]
  .filter((file) => given.length === 0 || given.some((part) => file.includes(part)))
  .sort()
const rows = files.map((file) => {
  const run = Bun.spawnSync([process.execPath, 'test', '--timeout=180000', `./${file}`], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  // With the processes that were waited for.
  const seconds = Number(run.resourceUsage.cpuTime.total) / 1_000_000
  const failed = run.exitCode === 0 ? '' : '  FAILED'
  console.error(`${seconds.toFixed(1).padStart(7)}  ${file}${failed}`)
  if (failed) console.error(String(run.stderr))
  return { file, seconds, failed }
})
rows.sort((left, right) => right.seconds - left.seconds)
console.log(rows.map(({ file, seconds, failed }) => `${seconds.toFixed(1).padStart(7)}  ${file}${failed}`).join('\n'))
console.log(
  `${rows
    .reduce((sum, { seconds }) => sum + seconds, 0)
    .toFixed(0)
    .padStart(5)} s of processor time`,
)
process.exitCode = rows.some(({ failed }) => failed !== '') ? 1 : 0
