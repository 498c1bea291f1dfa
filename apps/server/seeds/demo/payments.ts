import { isoDate, isoInstant } from './clock.ts'
import type { Demo, Draft } from './draft.ts'

/** Money that came in for codes that say so, with the adjustment an insurer takes off. */
export const addPayments = (demo: Demo, draft: Draft) => {
  const { status, random, patient, client } = draft
  const cents = () => random.pick(['00', '25', '40', '80'])
  const patientName = `${patient.name.first} ${patient.name.last}`
  if (status === 'INSPAYRECD') {
    const payer = random.pick(demo.catalogue.insuranceCompanies.filter(({ kind }) => kind === 'COMMERCIAL')).name
    add(demo, draft, {
      type: random.chance(0.7) ? 'EFT' : 'CHECK',
      payerType: 'INS',
      payer,
      amount: `${random.int(20, 240)}.${cents()}`,
      note: 'Payment by remittance advice',
    })
    if (random.chance(0.4))
      add(demo, draft, {
        type: 'ADJUST',
        payerType: 'INS',
        payer,
        amount: `${random.int(5, 90)}.${cents()}`,
        note: 'Contractual adjustment',
      })
  }
  if (status === 'PATPAYRECD') {
    add(demo, draft, {
      type: random.pick(['CARD', 'CARD', 'CHECK', 'CASH']),
      payerType: 'PAT',
      payer: patientName,
      amount: `${random.int(15, 180)}.${cents()}`,
      note: 'Paid in full',
    })
  }
  if (status === 'INVOICE' && demo.isDetailed && random.chance(0.15)) {
    add(demo, draft, {
      type: 'CHECK',
      payerType: 'CLIENT',
      payer: client.name,
      amount: `${random.int(30, 300)}.${cents()}`,
      note: 'Part of the monthly invoice',
    })
  }
}

interface Payment {
  type: string
  payerType: string
  payer: string
  amount: string
  note: string
}

const add = (demo: Demo, draft: Draft, payment: Payment) => {
  const at = draft.timeline.last
  demo.rows.add('payment', {
    id: demo.ids.next('payment'),
    requisition_id: draft.id,
    payment_type_code: payment.type,
    payer_type_code: payment.payerType,
    payer: payment.payer,
    amount: payment.amount,
    payment_note: payment.note,
    payment_date: isoDate(at),
    payment_no: `${payment.type.slice(0, 2)}${draft.random.digits(7)}`,
    created_by: demo.world.users.of(demo.catalogue.departmentId('BILLING'), draft.random),
    created_at: isoInstant(at),
  })
}
