import type { APIRequestContext } from '@playwright/test'
import { bearer, type sessionOf } from './people.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>

export const api = async (
  request: APIRequestContext,
  session: Session,
  method: string,
  path: string,
  data?: object,
) => {
  const response = await request.fetch(`/api/v3.0/${path}`, {
    method,
    headers: bearer(session),
    ...(data && { data }),
  })
  return response.json()
}

interface Ordered {
  id: number
  testCode: string
  previous: object | null
}
export const orderedOf = async (request: APIRequestContext, session: Session, id: number): Promise<Ordered[]> =>
  (await api(request, session, 'GET', `requisitions/${id}/req_tests`)).data

/**
 * A requisition of this journey's own, in Processing with these tests open: who moves it out of Accessioned has it. Of a patient
 * without earlier results, from which those of the journey could be so far that they would have to be confirmed.
 */
export const claim = async (request: APIRequestContext, session: Session, codes: string[]): Promise<number> => {
  const { data } = await api(request, session, 'GET', 'requisitions/ACC?perPage=50&sort=[id,DESC]')
  for (const { id } of data as { id: number }[]) {
    const { data: outcome } = await api(request, session, 'PUT', `requisitions/ACC/next_status/bulk_move?id=${id}`, {})
    if (!outcome.moved.includes(id)) continue
    const offered = (await api(request, session, 'GET', `requisitions/${id}/single_tests`)).data as {
      testId: number
      testCode: string
    }[]
    const order = async (isWanted: (code: string) => boolean) => {
      const ids = (await orderedOf(request, session, id)).map((row) => row.id)
      if (ids.length > 0) await api(request, session, 'DELETE', `requisitions/${id}/req_tests/bulk_delete?id=${ids}`)
      const testIds = offered.filter(({ testCode }) => isWanted(testCode)).map(({ testId }) => testId)
      if (testIds.length > 0) await api(request, session, 'POST', `requisitions/${id}/req_tests`, { testIds })
    }
    await order(() => true)
    if ((await orderedOf(request, session, id)).some(({ previous }) => previous !== null)) continue
    await order((code) => codes.includes(code))
    return id
  }
  throw new Error('No accessioned requisition is left')
}

export const failByCall = async (
  request: APIRequestContext,
  session: Session,
  id: number,
  code: string,
  reason: string,
) => {
  const ordered = await orderedOf(request, session, id)
  const reasons = (await api(request, session, 'GET', 'reasons/FAIL')).data as {
    reasonId: number
    failCode: string
  }[]
  const testId = ordered.find(({ testCode }) => testCode === code)?.id
  const failIds = reasons.filter(({ failCode }) => failCode === reason).map(({ reasonId }) => reasonId)
  await api(request, session, 'PUT', `requisitions/${id}/req_tests/${testId}/fail_codes`, { failIds })
}
