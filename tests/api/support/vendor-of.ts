import { testApp } from '../test-app.ts'

/** The name of the vendor to which a request belongs, as the log has it. */
export async function vendorOf(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { request, log } = testApp()
  await (await request(path, { method, headers })).text()
  return log[0]?.dialect ?? ''
}
