import { z } from 'zod'
import { isTimeZone } from './clients.ts'
import { asOfQuery } from './kit/as-of.ts'
import { newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalIds, updateFields } from './partial-input.ts'
import {
  flag01,
  isoDate,
  optionalId,
  optionalPhone,
  optionalText,
  required,
  requiredFlag,
  requiredId,
} from './validation.ts'

/** One label per field: messages and forms read it. */
export const labLabels = {
  labCode: 'Code',
  labName: 'Name',
  labTz: 'Timezone',
  labAddr1: 'Address 1',
  labAddr2: 'Address 2',
  labCity: 'City',
  labStateId: 'State',
  labCountryId: 'Country',
  labZip: 'Zip',
  labPhone: 'Phone',
  cliaNumber: 'CLIA Number',
  directorName: 'Laboratory Director',
  accreditations: 'Accreditations',
  bodyName: 'Accrediting Body',
  accreditationNumber: 'Number',
  validTo: 'Valid To',
  isSignatureRequired: 'Signature required for release',
} as const

export const signerLabels = {
  userId: 'User',
  userName: 'Name',
  deptIds: 'Departments',
  qualifications: 'Qualifications',
  identityCheckedBy: 'Identity checked by',
  validFrom: 'Valid From',
  validTo: 'Valid To',
} as const

const label = labLabels
const optionalDate = (name: string) =>
  z
    .union([z.literal('').transform(() => null), isoDate(name)])
    .nullish()
    .transform((date) => date ?? null)

export const accreditationInput = z.object({
  bodyName: required(label.bodyName, 150),
  accreditationNumber: required(label.accreditationNumber, 50),
  validTo: optionalDate(label.validTo),
})

/** 20D2104417: two digits, D, seven digits. */
const cliaPattern = /^[0-9]{2}D[0-9]{7}$/
const cliaFormat = `${label.cliaNumber} must be two digits, D and seven digits, such as 20D2104417`

export const labInput = z.object({
  labName: required(label.labName, 150),
  labTz: required(label.labTz, 64).refine(isTimeZone, messages.invalid(label.labTz)),
  labAddr1: optionalText(label.labAddr1, 150),
  labAddr2: optionalText(label.labAddr2, 150),
  labCity: optionalText(label.labCity, 100),
  labStateId: optionalId(label.labStateId),
  labCountryId: optionalId(label.labCountryId),
  labZip: optionalText(label.labZip, 20),
  labPhone: optionalPhone,
  cliaNumber: optionalText(label.cliaNumber, 20).refine((text) => text === null || cliaPattern.test(text), cliaFormat),
  directorName: optionalText(label.directorName, 150),
  accreditations: z.array(accreditationInput, { error: messages.invalid(label.accreditations) }).max(20),
  isSignatureRequired: requiredFlag(label.isSignatureRequired),
})
export type LabInput = z.infer<typeof labInput>

/** Everything else is entered on its page; the code never changes. */
export const labCreate = z.object({
  labCode: required(label.labCode, 20),
  labName: labInput.shape.labName,
  labTz: labInput.shape.labTz,
})
export type LabCreate = z.infer<typeof labCreate>
/** PUT changes only the fields that are sent; the version may be in the body or in `If-Match`. */
const labUpdate = z.object({ ...updateFields(labInput.shape), version: z.number().int().optional() })
export type LabUpdate = z.infer<typeof labUpdate>

const text = z.string().nullable()
const id = z.number().int()
const date = z.iso.date()

const lab = z.object({
  id,
  labCode: z.string(),
  labName: z.string(),
  labTz: z.string(),
  labAddr1: text,
  labAddr2: text,
  labCity: text,
  labStateId: id.nullable(),
  labState: text,
  labCountryId: id.nullable(),
  labCountry: text,
  labZip: text,
  /** Digits with the country code. */
  labPhone: text,
  cliaNumber: text,
  directorName: text,
  accreditations: z.array(
    z.object({ bodyName: z.string(), accreditationNumber: z.string(), validTo: date.nullable() }),
  ),
  isSignatureRequired: flag01,
  version: id,
})
export type Lab = z.infer<typeof lab>

export const signerInput = z.object({
  userId: requiredId(signerLabels.userId),
  /** Empty: all departments. */
  deptIds: optionalIds(signerLabels.deptIds),
  qualifications: required(signerLabels.qualifications, 200),
  identityCheckedBy: required(signerLabels.identityCheckedBy, 150),
  validFrom: isoDate(signerLabels.validFrom),
  validTo: optionalDate(signerLabels.validTo),
})
export type SignerInput = z.infer<typeof signerInput>

const signer = z.object({
  id,
  userId: id,
  userName: z.string(),
  deptIds: z.array(id),
  deptNames: z.array(z.string()),
  qualifications: z.string(),
  identityCheckedBy: z.string(),
  validFrom: date,
  validTo: date.nullable(),
  grantedByName: z.string(),
  version: id,
})
export type Signer = z.infer<typeof signer>

/** Nothing else of a right to sign can change. */
export const signerEnd = z.object({ validTo: isoDate(signerLabels.validTo) })

const signerParams = z.object({ id: idParam, signerId: idParam })

export const labRoutes = {
  create: post('labs', { access: 'labs.write', body: labCreate, reply: newId }),
  one: get('labs/:id', { access: 'labs.read', params: byId, query: asOfQuery, reply: one(lab) }),
  update: put('labs/:id', { access: 'labs.write', params: byId, body: labUpdate, reply: one(lab) }),
  signers: get('labs/:id/signers', {
    access: 'labs.read',
    params: byId,
    query: listQuery({ sort: ['id', 'userName', 'validFrom', 'validTo'], filter: [], defaultPerPage: -1 }),
    reply: page(signer),
  }),
  addSigner: post('labs/:id/signers', { access: 'labs.write', params: byId, body: signerInput, reply: newId }),
  endSigner: put('labs/:id/signers/:signerId', {
    access: 'labs.write',
    summary: 'Ends the right to sign on a day; nothing else of it can change',
    params: signerParams,
    body: signerEnd.extend({ version: z.number().int().optional() }),
    reply: one(signer),
  }),
}
