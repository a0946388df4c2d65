import { testApp } from '../test-app.ts'

/** One for all that ask, which takes a millisecond to make. */
const app = testApp()

/** The name of the vendor to which a request belongs, as the log has it. One request after the other. */
export async function vendorOf(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  await (await app.request(path, { method, headers })).text()
  return app.log.at(-1)?.dialect ?? ''
}
