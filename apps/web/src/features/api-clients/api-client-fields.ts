import { registered } from '@lis/contract/access/roles.ts'
import { apiClientInput, apiClientUpdate, apiClientLabels as label } from '@lis/contract/api-clients.ts'
import { z } from 'zod'
import { roleAndEntityFields } from '../../domain/role-entity-fields.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'

const hasSecret = ({ useSecret }: Values) => useSecret === 1

const signInMethods = [
  { value: 1, label: 'A secret, made here and shown once' },
  { value: 0, label: 'A key of its own (SMART Backend Services)' },
]

export const keyFields: readonly FieldDef[] = [
  {
    name: 'jwks',
    label: label.jwks,
    kind: 'multiline',
    isWide: true,
    hint: 'A JSON Web Key Set with public keys, RSA from 2048 bits or EC P-384, or else its address below',
  },
  { name: 'jwksUrl', label: label.jwksUrl, kind: 'text', isWide: true },
]

export const apiClientFields: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text', isRequired: true },
  ...roleAndEntityFields(registered, 'apiClients.manage'),
  { name: 'expiryDate', label: label.expiryDate, kind: 'date', hint: 'Left empty: never' },
  {
    name: 'scopes',
    label: label.scopes,
    kind: 'multiline',
    isRequired: true,
    isWide: true,
    hint: 'Separated by spaces or commas: system/*.rs, system/Patient.rs, system/*.cruds for FHIR; lis/read, lis/write for the API',
  },
]

export const newApiClientFields: readonly FieldDef[] = [
  ...apiClientFields,
  { name: 'useSecret', label: 'Signs in with', kind: 'radio', options: signInMethods, initial: 1, isWide: true },
  ...keyFields.map((field) => ({ ...field, isHidden: hasSecret })),
]

/** JSON as the call expects it; invalid JSON is refused there. */
const asJson = (typed: unknown) => {
  if (typeof typed !== 'string') return typed
  if (typed.trim() === '') return null
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

const asList = (typed: unknown) => (typeof typed === 'string' ? typed.split(/[\s,]+/).filter(Boolean) : typed)

const typed = (values: unknown) => {
  const { scopes, jwks, ...others } = values as Values
  return {
    ...others,
    ...(scopes !== undefined && { scopes: asList(scopes) }),
    ...(jwks !== undefined && { jwks: asJson(jwks) }),
  }
}

/** The schema of a call, applied to the values of its form. */
const asTyped = <S extends z.ZodType>(schema: S) => z.preprocess(typed, schema)
export const newApiClientSchema = asTyped(apiClientInput)
export const apiClientChange = asTyped(apiClientUpdate)
