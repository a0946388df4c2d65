const version = '/:version{v1(?:beta1)?}'

/** Where Vertex AI has the models of a publisher. Some clients expect the version in their base URL, others add it. */
export function vertexBases(publisher: 'anthropic' | 'google'): readonly string[] {
  const ofProject = `/projects/:project/locations/:location/publishers/${publisher}`
  return [ofProject, version + ofProject]
}

/** The base of Google's own clients that have an API key and no project. */
export const expressBase = `${version}/publishers/google`

/** The two halves of `MODEL:METHOD`, which is one segment in Google's paths. */
export function modelAndMethod(segment = ''): readonly [model: string, method: string] {
  const colon = segment.lastIndexOf(':')
  return [segment.slice(0, Math.max(colon, 0)), segment.slice(colon + 1)]
}
