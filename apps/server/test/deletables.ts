import type { DeletedKindCode } from '@lis/contract/resources.ts'
import { expect } from 'vitest'
import type { Caller, TestApp } from './app.ts'
import { sendToStore, tinyPdf } from './uploads.ts'

/** A record of one kind with the calls of the product that show and delete it. */
interface Deletable {
  id: number
  read: () => Promise<unknown>
  remove: () => Promise<{ status: number }>
  /** What an administrator knows it by. */
  words: RegExp
}

let serial = 0

/** What a form sends for a new user. */
export const userBody = (deptId: number, over: Record<string, unknown> = {}) => ({
  userFirstName: 'Ada',
  userLastName: 'Lovelace',
  userEmail: `ada${++serial}@example.com`,
  userName: `ada.deleted${serial}`,
  userPhone: '1 (617) 555-0123',
  userRoleCode: 'ADM',
  deptIds: [deptId],
  isSubscribed: 0,
  ...over,
})

export const insuranceBody = (over: Record<string, unknown> = {}) => ({
  billingOrder: 1,
  reqBillTypeCode: 'INSURANCE',
  insuranceCompany: 'Alder Mutual Health',
  policyHolder: 'Pat Patient',
  policyNo: 'A123',
  groupNo: 'G1',
  insuredDob: '1970-01-02',
  ...over,
})

/** One record of each kind that can be restored, created through the API where possible. */
export const deletables = (test: TestApp, who: Caller) => {
  const testId = async (code = 'CHOL') =>
    (await test.database.db.selectFrom('test').select('id').where('code', '=', code).executeTakeFirstOrThrow()).id
  const aDocument = async (path: string, register: string, slot: object) => {
    const { body } = await who.post(path, { fileName: 'scan.pdf', ...slot })
    expect(await sendToStore(test, body.data.fields, tinyPdf)).toBe(204)
    return who.post(register, { originalFileName: 'scan.pdf', fileName: body.data.newFileName })
  }
  const dataAt = (path: string) => async () => (await who.get(path)).body.data
  /** The record, or undefined; only for records with their own route. */
  const oneAt = (path: string) => async () => {
    const { status, body } = await who.get(path)
    return status === 404 ? undefined : body.data
  }
  const billPath = async (id: number) =>
    `requisitions/${id}/billings/${(await dataAt(`requisitions/${id}/billings`)())[0].billId}/insurances`
  const examples: Record<DeletedKindCode, () => Promise<Deletable>> = {
    requisition: async () => {
      const { id } = await test.given.requisition()
      await test.given.orderedTest(id, 'CHOL')
      await test.given.specimen(id)
      return {
        id,
        read: oneAt(`requisitions/${id}`),
        remove: () => who.del(`requisitions/${id}`),
        words: /^#\d+ \| Patient\d+, Pat \(01\/02\/1970\)$/,
      }
    },
    document: async () => {
      const { id: reqId } = await test.given.requisition()
      const path = `requisitions/${reqId}`
      await aDocument(`${path}/upload`, `${path}/scanreqs`, { docTypeCode: 'SCANREQ' })
      const [{ id }] = await dataAt(`${path}/docs`)()
      return {
        id,
        read: dataAt(`${path}/docs`),
        remove: () => who.del(`${path}/docs/${id}`),
        words: /^#\d+ \| Patient\d+, Pat \(01\/02\/1970\): Scanned Requisition scan\.pdf$/,
      }
    },
    payment: async () => {
      const path = `requisitions/${(await test.given.requisition()).id}/payments`
      const { body } = await who.post(path, {
        paymentTypeCode: 'CHECK',
        payerTypeCode: 'INS',
        payer: 'Alder Mutual Health',
        amount: '10.10',
        paymentNote: 'By remittance',
        paymentDate: '11/5/2026',
        paymentNo: '1001',
      })
      const { id } = body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^#\d+ \| Patient.*\): 10\.10 USD, Alder Mutual Health, 11\/05\/2026$/,
      }
    },
    insurance: async () => {
      const path = await billPath((await test.given.requisition()).id)
      const { id } = (await who.post(path, insuranceBody())).body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^#\d+ \| Patient.*\): Primary Alder Mutual Health A123$/,
      }
    },
    billingNote: async () => {
      const path = `requisitions/${(await test.given.requisition()).id}/bill_notes`
      const { id } = (await who.post(path, { note: 'x'.repeat(100) })).body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^#\d+ \| Patient.*\): x{80}…$/,
      }
    },
    client: async () => {
      const sales = await test.given.salesPerson()
      const body = await test.given.clientBody({ legacyClientId: `R${++serial}`, salesIds: [sales.id] })
      const { id } = (await who.post('clients', body)).body.data
      await who.put(`clients/${id}`, { physIds: [(await test.given.physician()).id] })
      return {
        id,
        read: oneAt(`clients/${id}`),
        remove: () => who.del(`clients/${id}`),
        words: /^Practice \d+ \(R\d+\)$/,
      }
    },
    clientPhysician: async () => {
      const [client, physician] = [await test.given.client(), await test.given.physician()]
      const { id } = await test.given.clientPhysician(client.id, physician.id)
      return {
        id,
        read: dataAt(`physicians/${physician.id}/clients`),
        remove: () => who.del(`physicians/${physician.id}/clients/${client.id}`),
        words: /^Client \d+ \(L\d+\): Paula Physician\d+$/,
      }
    },
    clientEvent: async () => {
      const client = await test.given.client()
      const { id } = await test.given.event(client.id)
      return {
        id,
        read: dataAt(`clients/${client.id}/events`),
        remove: () => who.del(`clients/${client.id}/events/${id}`),
        words: /^Client \d+ \(L\d+\): Event \d+$/,
      }
    },
    clientDocument: async () => {
      const path = `clients/${(await test.given.client()).id}/docs`
      const { id } = (await aDocument(`${path}/init`, path, {})).body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^Client \d+ \(L\d+\): scan\.pdf$/,
      }
    },
    clientPrice: async () => {
      const path = `clients/${(await test.given.client()).id}/prices`
      const { id } = (await who.post(path, { testId: await testId(), price: '12.5' })).body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^Client \d+ \(L\d+\): CHOL 12\.50 USD$/,
      }
    },
    physician: async () => {
      const { id } = await test.given.physician()
      await test.given.clientPhysician((await test.given.client()).id, id)
      return {
        id,
        read: oneAt(`physicians/${id}`),
        remove: () => who.del(`physicians/${id}`),
        words: /^Paula Physician\d+ \(NPI \d{10}\)$/,
      }
    },
    collaborator: async () => {
      const { id } = await test.given.collaborator()
      return {
        id,
        read: oneAt(`collaborators/${id}`),
        remove: () => who.del(`collaborators/${id}`),
        words: /^Collaborator \d+$/,
      }
    },
    collaboratorRange: async () => {
      const path = `collaborators/${(await test.given.collaborator()).id}/test_ranges`
      const range = { testId: await testId(), colaSigDigits: 1, colaMNormalHi: '199.9' }
      const { id } = (await who.post(path, { colaRanges: [range] })).body.data
      return {
        id,
        read: dataAt(path),
        remove: () => who.del(`${path}/${id}`),
        words: /^Collaborator \d+: CHOL$/,
      }
    },
    sales: async () => {
      const { id } = await test.given.salesPerson()
      return {
        id,
        read: oneAt(`sales/${id}`),
        remove: () => who.del(`sales/${id}`),
        words: /^Sam Seller\d+ \(SR\d+\)$/,
      }
    },
    instrument: async () => {
      const { id } = await test.given.store('instrument', {
        name: `Analyser ${++serial}`,
        lab_id: (await test.given.lab({ name: 'Instrument Laboratory' })).id,
        protocol: 'ASTM',
      })
      return {
        id,
        read: oneAt(`instruments/${id}`),
        remove: () => who.del(`instruments/${id}`),
        words: /^Analyser \d+ \(Instrument Laboratory\)$/,
      }
    },
    tatTarget: async () => {
      const lab = await test.given.lab({ name: 'Target Laboratory' })
      const { id } = (await who.post('tat_targets', { labId: lab.id, targetHours: 12 })).body.data
      return {
        id,
        read: oneAt(`tat_targets/${id}`),
        remove: () => who.del(`tat_targets/${id}`),
        words: /^All tests in Target Laboratory, Routine, 12 h$/,
      }
    },
    interface: async () => {
      const { id } = await test.given.interfacePartner()
      return {
        id,
        read: oneAt(`interfaces/${id}`),
        remove: () => who.del(`interfaces/${id}`),
        words: /^Partner \d+$/,
      }
    },
    user: async () => {
      const { id } = (await who.post('mfa/users', userBody(await test.given.firstId('department')))).body.data
      return {
        id,
        read: oneAt(`users/${id}`),
        remove: () => who.del(`mfa/users/${id}`),
        words: /^Ada Lovelace \(ada\.deleted\d+\)$/,
      }
    },
    smartView: async () => {
      const view = {
        smartName: `View ${++serial}`,
        smartScreen: 'clients',
        smartValues: { clientCity: { value: 'Boston' } },
      }
      const { id } = (await who.post('smart_filters', view)).body.data
      return {
        id,
        read: dataAt(`smart_filters?filter=[id:${id}]`),
        remove: () => who.del(`smart_filters/${id}`),
        words: /^Test User\d+: View \d+ \(clients\)$/,
      }
    },
  }

  return { examples, testId, dataAt, billPath }
}
