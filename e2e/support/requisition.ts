import { type APIRequestContext, type APIResponse, expect, type Page } from '@playwright/test'
import { bearer, type sessionOf } from './people.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>

/** Calls of a signed-in user; each returns the `data` of the reply. */
export const callsOf = (request: APIRequestContext, session: Session) => {
  const headers = bearer(session)
  const dataOf = async (reply: APIResponse) => {
    expect(reply.status(), reply.url()).toBe(200)
    return (await reply.json()).data
  }
  return {
    get: async (path: string) => dataOf(await request.get(`/api/v3.0/${path}`, { headers })),
    post: async (path: string, data: object = {}) => dataOf(await request.post(`/api/v3.0/${path}`, { headers, data })),
    put: async (path: string, data: object) => dataOf(await request.put(`/api/v3.0/${path}`, { headers, data })),
  }
}
export type Calls = ReturnType<typeof callsOf>

export const unique = (name: string) => `${name}${Date.now().toString(36)}`

/** A day, YYYY-MM-DD: one of long ago would be asked about. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** The day on which the samples of new orders were collected, by API and by form. */
export const orderDay = () => daysAgo(16)

/** A client with a zone; not one of the first, whose zones other journeys change. */
export const clientWithZone = async (api: Calls): Promise<{ id: number; clientName: string }> => {
  const clients: { id: number; clientName: string; clientTz: string }[] = await api.get('clients?perPage=50')
  const found = clients.find(({ id, clientTz }) => id > 5 && /Chicago|New_York|Los_Angeles|Denver/.test(clientTz))
  if (!found) throw new Error('No client with a zone')
  return found
}

/** A requisition of our own, so that no other journey misses one. */
export const newRequisition = async (api: Calls, over: object = {}): Promise<number> => {
  const { id: clientId } = await clientWithZone(api)
  const presets = await api.get(`requisitions/create/presets?clientId=${clientId}`)
  const [physician] = await api.get(`clients/${clientId}/physicians`)
  const { id } = await api.post('requisitions', {
    collaborator: presets.colaId,
    clientId,
    labId: presets.labId,
    eventId: presets.eventId,
    orderingClientPhysId: physician.clientPhysId,
    patientFirstName: 'Edna',
    patientLastName: unique('Person'),
    patientDob: '3/4/1961',
    patientGenderCode: 'FEMALE',
    patientSsn: '123-45-6789',
    dateCollected: `${orderDay()}T10:05`,
    heightFeet: 5,
    heightInches: 6,
    ...over,
  })
  return id
}

export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const box = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
export const text = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
/** A field by its label, of whatever kind. */
export const field = (page: Page, name: string) =>
  box(page, name)
    .or(text(page, name))
    .or(page.getByRole('radiogroup', { name, exact: true }))

/** What the patient's form requires beyond a new order; returns the patient. */
export const completePatient = async (api: Calls, id: number) => {
  const { patient } = await api.get(`requisitions/${id}/patient`)
  const states: { id: number; stateLongname: string }[] = await api.get('states')
  await api.put(`requisitions/${id}/patients/${patient.id}`, {
    patientStateId: states.find(({ stateLongname }) => stateLongname === 'Oregon')?.id,
  })
  await api.put(`requisitions/${id}/patient_hists/${id}`, {
    ...{ isStress: 0, isPatientHistory: 0, isHypertension: 0, isLowHdl: 0, isLipidMed: 0, isBloodMed: 0 },
    isMedNecessity: 0,
  })
  return patient
}
