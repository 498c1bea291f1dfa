import type { Config } from '../../platform/config.ts'
import type { BillingProvider } from './claims.ts'

/** Fictitious, for demo mode. */
const demoProvider: BillingProvider = {
  name: 'Demo Reference Laboratory',
  npi: '1234567893',
  taxId: '123456789',
  clia: '22D0000000',
  address: '100 Science Way',
  city: 'Boston',
  state: 'MA',
  zip: '021080001',
  phone: '6175550100',
  submitterId: 'DEMOLAB',
  receiverName: 'Demo Clearing House',
  receiverId: 'DEMOHOUSE',
  payTo: 'Demo Reference Laboratory, 100 Science Way, Boston MA 02108',
  dueDays: 30,
}

/** null while the settings are incomplete; then no claims are made. */
export const billingProvider = (config: Config): BillingProvider | null => {
  const { BILLING_NAME: name, BILLING_NPI: npi, BILLING_TAX_ID: taxId, BILLING_CLIA: clia } = config
  const { BILLING_ADDRESS: address } = config
  const { BILLING_CITY: city, BILLING_STATE: state, BILLING_ZIP: zip, BILLING_PHONE: phone } = config
  const { BILLING_SUBMITTER_ID: submitterId, BILLING_RECEIVER_NAME: receiverName } = config
  const { BILLING_RECEIVER_ID: receiverId } = config
  if (!name || !npi || !taxId || !clia || !address || !city || !state || !zip) return config.demo ? demoProvider : null
  if (!phone || !submitterId || !receiverName || !receiverId) return config.demo ? demoProvider : null
  const payTo = config.BILLING_PAY_TO ?? `${name}, ${address}, ${city} ${state} ${zip}`
  const dueDays = config.BILLING_DUE_DAYS
  return {
    name,
    npi,
    taxId,
    clia,
    address,
    city,
    state,
    zip,
    phone,
    submitterId,
    receiverName,
    receiverId,
    payTo,
    dueDays,
  }
}
