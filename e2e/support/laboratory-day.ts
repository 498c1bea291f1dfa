import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from '@playwright/test'
import { Analyser, resultRecords, type SentResult } from '../../apps/server/seeds/laboratory/analyser.ts'
import { MllpDecoder, mllpBlock } from '../../apps/server/src/platform/hl7/mllp-decoder.ts'
import { freePort } from '../../apps/server/test/free-port.ts'
import { openMllpClient } from '../../apps/server/test/mllp-client.ts'
import { type Calls, daysAgo } from './requisition.ts'

// The systems around a laboratory, over real sockets: that of a practice, and two analysers.

/** HL7 time in UTC. */
const hl7Time = (at = new Date()) => `${at.toISOString().replace(/\D/g, '').slice(0, 14)}+0000`

// ── the system of the practice ──────────────────────────────────────────────────────────────────────────────────────

interface PracticeSystem {
  /** Sends a message and returns the answer. */
  send: (message: string) => Promise<string>
  /** The messages with results that have arrived, each acknowledged with AA. */
  results: readonly string[]
  resultUrl: string
  close: () => void
}

export const openPracticeSystem = async (ordersPort: number): Promise<PracticeSystem> => {
  const results: string[] = []
  const receiver = createServer((socket) => {
    const decoder = new MllpDecoder()
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      for (const block of decoder.push(chunk)) {
        results.push(block.toString())
        const controlId = block.toString().split('|')[9] ?? ''
        const header = `MSH|^~\\&|RIDGE EHR|DR-01|LIS|LAB|${hl7Time()}||ACK^R01|A${results.length}|P|2.5.1`
        socket.write(mllpBlock(`${header}\rMSA|AA|${controlId}\r`))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const sender = await openMllpClient(ordersPort)
  return {
    send: sender.ask,
    results,
    resultUrl: `mllp://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    close: () => {
      sender.close()
      receiver.close()
    },
  }
}

// ── the analysers of the demo ───────────────────────────────────────────────────────────────────────────────────────

/** Gives an analyser of the demo a port of its own: its usual one may be taken by another product on this machine. */
export const listenOn = async (admin: Calls, name: string): Promise<{ id: number; port: number }> => {
  const instruments: { id: number; name: string }[] = await admin.get('instruments')
  const { id } = instruments.find((one) => one.name === name) ?? {}
  if (id === undefined) throw new Error(`The demo has no ${name}`)
  const port = await freePort()
  await admin.put(`instruments/${id}`, { port })
  await expect.poll(async () => (await admin.get(`instruments/${id}`)).linkState).toBe('LISTENING')
  return { id, port }
}

export interface Measured {
  specimen: string | number
  code: string
  value: string
  units: string
  isControl?: boolean
  at?: Date
}

/** The chemistry analyser: one HL7 connection for the day, a message for each result, all of them acknowledged. */
export const openChemistry = async (port: number) => {
  const connection = await openMllpClient(port)
  let messages = 0
  const send = async (measured: readonly Measured[]) => {
    for (const { specimen, code, value, units, isControl = false, at = new Date() } of measured) {
      messages++
      const answer = await connection.ask(
        [
          `MSH|^~\\&|COBAS|BENCH|LIS|LAB|${hl7Time()}||OUL^R22|${Date.now()}-${messages}|P|2.5.1`,
          `SPM|1|${specimen}|||||||||${isControl ? 'Q' : 'P'}`,
          `OBR|1|${specimen}||${code}`,
          `OBX|1|NM|${code}||${value}|${units}|||||F|||||snunez|||${hl7Time(at)}`,
        ].join('\r'),
      )
      expect(answer).toContain('\rMSA|AA|')
    }
  }
  return { send, close: connection.close }
}

/** The glycohemoglobin analyser asks over ASTM what to measure, and sends results in the same way. */
export const askAndSendByAstm = async (port: number, specimen: number, value: string): Promise<string[]> => {
  const analyser = await Analyser.connect({ port })
  const at = hl7Time()
  const asked = (await analyser.query([String(specimen)], at))
    .map((record) => record.split('|'))
    .filter(([type]) => type === 'O')
    .flatMap(([, , , , tests = '']) => tests.split('\\').map((test) => test.split('^')[3] ?? ''))
  const results: SentResult[] = asked.map((code) => ({ specimen, code, value, units: '%' }))
  await analyser.send(resultRecords(results, at))
  analyser.close()
  return asked
}

// ── the orders ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Yesterday morning in the laboratory's zone (Phoenix, without summer time). */
const collectedDay = () => daysAgo(1)

interface Ordered {
  lastName: string
  physicianNpi: string
}

export const practiceApp = { sendingApp: 'RIDGE EHR', sendingFacility: 'DR-01' }

const insurance = (fields: Readonly<Record<number, string>>) =>
  ['IN1', ...Array.from({ length: 36 }, (_, index) => fields[index + 1] ?? '')].join('|')

/** Cholesterol by the practice's own code, HDL by LOINC, triglycerides by ours; billed to Medicare. */
export const hl7Order = ({ lastName, physicianNpi }: Ordered): string => {
  const { sendingApp, sendingFacility } = practiceApp
  const at = `${collectedDay().replaceAll('-', '')}0805-0700`
  return [
    `MSH|^~\\&|${sendingApp}|${sendingFacility}|LIS|LAB|${hl7Time()}||ORM^O01|DR-${lastName}|P|2.5.1`,
    `PID|1||88-2031^^^DR^MR||${lastName}^Inés||19560509|F|||410 E Alder St^^Phoenix^AZ^85018||6025550163`,
    insurance({
      1: '1',
      3: '01112',
      4: 'Medicare Part B, Western Region',
      16: `${lastName}^Inés`,
      18: '19560509',
      36: '1EG4TE5MK73',
    }),
    'DG1|1||E78.5',
    `ORC|NW|DR-${lastName}-1||||||||||${physicianNpi}^Nakamura^Philip^^^^^^NPI`,
    `OBR|1|DR-${lastName}-1||CHOLT^Cholesterol^L|||${at}`,
    `OBR|2|DR-${lastName}-1||2085-9^HDL cholesterol^LN|||${at}`,
    `OBR|3|DR-${lastName}-1||TRIG^Triglycerides^L|||${at}`,
  ].join('\r')
}

/** Hemoglobin A1c by LOINC, billed to an insurance company. */
export const fhirOrder = ({ lastName, physicianNpi }: Ordered) => {
  const [patient, tube] = [`urn:uuid:${crypto.randomUUID()}`, `urn:uuid:${crypto.randomUUID()}`]
  const post = (url: string) => ({ method: 'POST', url })
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    identifier: { value: `DR-${lastName}` },
    entry: [
      {
        fullUrl: patient,
        resource: {
          resourceType: 'Patient',
          identifier: [
            { type: { coding: [{ code: 'MR' }] }, system: 'urn:oid:2.16.840.1.113883.19.5', value: '88-4410' },
          ],
          name: [{ family: lastName, given: ['Omar'] }],
          birthDate: '1968-11-02',
          gender: 'male',
          address: [{ line: ['77 W Palm Ln'], city: 'Phoenix', state: 'AZ', postalCode: '85003' }],
          telecom: [{ system: 'phone', value: '6025550171' }],
        },
        request: post('Patient'),
      },
      {
        fullUrl: tube,
        resource: {
          resourceType: 'Specimen',
          subject: { reference: patient },
          collection: { collectedDateTime: `${collectedDay()}T09:20:00-07:00` },
        },
        request: post('Specimen'),
      },
      {
        fullUrl: `urn:uuid:${crypto.randomUUID()}`,
        resource: {
          resourceType: 'ServiceRequest',
          identifier: [{ type: { coding: [{ code: 'PLAC' }] }, value: `DR-${lastName}-1` }],
          status: 'active',
          intent: 'order',
          code: { coding: [{ system: 'http://loinc.org', code: '4548-4' }] },
          subject: { reference: patient },
          requester: { identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: physicianNpi } },
          reasonCode: [{ coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'E11.9' }] }],
          specimen: [{ reference: tube }],
        },
        request: post('ServiceRequest'),
      },
      {
        fullUrl: `urn:uuid:${crypto.randomUUID()}`,
        resource: {
          resourceType: 'Coverage',
          status: 'active',
          beneficiary: { reference: patient },
          payor: [{ display: 'Alder Mutual Health' }],
          subscriberId: 'AMH90417',
        },
        request: post('Coverage'),
      },
    ],
  }
}
