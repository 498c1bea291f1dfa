import { isoDate, isoInstant } from './clock.ts'
import type { Draft, RequisitionContext } from './draft.ts'

/** Payments for the statuses that imply one, with the adjustment that an insurer deducts. */
export const addPayments = (context: RequisitionContext, draft: Draft) => {
  const { status, random, patient, client } = draft
  const cents = () => random.pick(['00', '25', '40', '80'])
  const patientName = `${patient.name.first} ${patient.name.last}`
  if (status === 'INSPAYRECD') {
    const payer = random.pick(context.catalogue.insuranceCompanies.filter(({ kind }) => kind === 'COMMERCIAL')).name
    add(context, draft, {
      type: random.chance(0.7) ? 'EFT' : 'CHECK',
      payerType: 'INS',
      payer,
      amount: `${random.int(20, 240)}.${cents()}`,
      note: 'Payment by remittance advice',
    })
    if (random.chance(0.4))
      add(context, draft, {
        type: 'ADJUST',
        payerType: 'INS',
        payer,
        amount: `${random.int(5, 90)}.${cents()}`,
        note: 'Contractual adjustment',
      })
  }
  if (status === 'PATPAYRECD') {
    add(context, draft, {
      type: random.pick(['CARD', 'CARD', 'CHECK', 'CASH']),
      payerType: 'PAT',
      payer: patientName,
      amount: `${random.int(15, 180)}.${cents()}`,
      note: 'Paid in full',
    })
  }
  if (status === 'INVOICE' && context.isDetailed && random.chance(0.15)) {
    add(context, draft, {
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

const add = (context: RequisitionContext, draft: Draft, payment: Payment) => {
  const at = draft.timeline.last
  context.rows.add('payment', {
    id: context.ids.next('payment'),
    requisition_id: draft.id,
    payment_type_code: payment.type,
    payer_type_code: payment.payerType,
    payer: payment.payer,
    amount: payment.amount,
    payment_note: payment.note,
    payment_date: isoDate(at),
    payment_no: `${payment.type.slice(0, 2)}${draft.random.digits(7)}`,
    created_by: context.world.users.of(context.catalogue.departmentId('BILLING'), draft.random),
    created_at: isoInstant(at),
  })
}
