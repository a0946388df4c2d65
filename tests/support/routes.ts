import { routes } from '../../src/api/vendors.ts'

const withKinds = await Promise.all(
  routes.map(async (route) => {
    const [first] = Object.values(route.methods)
    return { route, kind: (await first?.load())?.kind }
  }),
)

function ofKinds(...kinds: readonly unknown[]) {
  return withKinds.filter(({ kind }) => kinds.includes(kind)).map(({ route }) => route)
}

/** Every path that costs a search. */
export const searchRoutes = ofKinds('search', 'own')
/** Every path that reads pages and costs no search. */
export const pageRoutes = ofKinds('page')
/** Every path of requests that are answered in the background. */
export const jobRoutes = ofKinds('job')
