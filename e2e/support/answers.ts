import type { APIRequestContext, APIResponse, Page } from '@playwright/test'

/** An answer of the product that somebody has got, on a screen or by a call. */
interface Answer {
  requestId: string
  method: string
  /** `/api/v3.0/requisitions/12/req_tests` */
  path: string
}

interface Answers {
  /** Makes calls whose answers count too. */
  request: APIRequestContext
  all: readonly Answer[]
}

const base = '/api/v3.0'
const callMethods = ['get', 'post', 'put', 'delete'] as const
type CallMethod = (typeof callMethods)[number]
const isCallMethod = (name: string | symbol): name is CallMethod => callMethods.includes(name as CallMethod)

/** Keeps every successful answer that the page and its calls get from now on. */
export const keepAnswers = (page: Page): Answers => {
  const all: Answer[] = []
  const keep = (method: string, answer: Pick<APIResponse, 'url' | 'status' | 'headers'>) => {
    const { pathname } = new URL(answer.url())
    const requestId = answer.headers()['x-request-id']
    if (answer.status() === 200 && requestId) all.push({ requestId, method: method.toLowerCase(), path: pathname })
  }
  page.context().on('response', (response) => keep(response.request().method(), response))
  const request = new Proxy(page.request, {
    get: (target, name) =>
      isCallMethod(name)
        ? async (url: string, options?: Parameters<APIRequestContext['post']>[1]) => {
            const answer = await target[name](url, options)
            keep(name, answer)
            return answer
          }
        : Reflect.get(target, name),
  })
  return { request, all }
}

/** Those of calls that the OpenAPI document marks as showing patient data, and everything that was read by FHIR. */
export const withPatientData = async ({ request, all }: Answers): Promise<readonly Answer[]> => {
  const { paths } = await (await request.get(`${base}/openapi.json`)).json()
  const calls = Object.entries(paths as Record<string, Record<string, { 'x-patient-data'?: boolean }>>)
    // `requisitions/status_count` before `requisitions/{id}`.
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .flatMap(([path, methods]) => {
      const isIt = new RegExp(`^${base}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return Object.entries(methods).map(([method, call]) => ({
        method,
        isIt,
        isMarked: call['x-patient-data'] === true,
      }))
    })
  const isMarked = ({ method, path }: Answer) =>
    calls.find((call) => call.method === method && call.isIt.test(path))?.isMarked === true
  return all.filter((answer) => isMarked(answer) || (answer.method === 'get' && answer.path.startsWith('/fhir/R4/')))
}
